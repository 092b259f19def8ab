package cloud

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// A fault list is text, items separated by commas:
//
//	STEP:MOMENT            fail with an error
//	STEP:MOMENT:error:N    fail the first N times only
//	STEP:MOMENT:warning    warn and go on
//	STEP:MOMENT:panic      crash with a stack trace
//	STEP:MOMENT:exit:CODE  end the process at once
//	STEP:MOMENT:hang       never answer (until cancelled)
//	STEP:MOMENT:sleep:1s   answer late
//
// STEP is plan, create, read, update or delete; MOMENT is before (nothing has
// happened yet) or after (the cloud has changed, the answer is lost).
//
// It comes from the resource's own argument "fail", from the provider's
// argument "fail" (a map by resource type), and from the file "faults" in the
// folder with lines "TYPE FAULTS", where TYPE may be "*": the last one makes
// any resource fail without a change of configuration.

// Moments of a step.
const (
	Before = "before"
	After  = "after"
)

// Call says where a provider is.
type Call struct {
	Type, ID, Step, Moment string
	Own                    string // the resource's own argument "fail"
}

// Fault is a failure that was asked for. Warning ones do not stop a call.
type Fault struct {
	Warning bool
	Text    string
}

func (f *Fault) Error() string { return f.Text }

// Trip does what the fault lists ask for at this call. A nil answer means: go on.
func (c *Cloud) Trip(ctx context.Context, at Call) *Fault {
	var warning *Fault
	for _, list := range []string{at.Own, c.Faults[at.Type], c.Faults["*"], c.faultFile(at.Type)} {
		for item := range strings.SplitSeq(list, ",") {
			f := c.trip(ctx, at, strings.TrimSpace(item))
			if f != nil && !f.Warning {
				return f
			}
			if f != nil {
				warning = f
			}
		}
	}
	return warning
}

func (c *Cloud) faultFile(typeName string) string {
	f, err := os.Open(filepath.Join(c.Folder, "faults"))
	if err != nil {
		return ""
	}
	defer f.Close()
	var all []string
	for s := bufio.NewScanner(f); s.Scan(); {
		words := strings.Fields(s.Text())
		if len(words) == 2 && (words[0] == typeName || words[0] == "*") {
			all = append(all, words[1])
		}
	}
	return strings.Join(all, ",")
}

func (c *Cloud) trip(ctx context.Context, at Call, item string) *Fault {
	parts := strings.SplitN(item, ":", 4)
	if len(parts) < 2 || parts[0] != at.Step || parts[1] != at.Moment {
		return nil
	}
	parts = append(parts, "", "")
	text := fmt.Sprintf("%s of %s failed on demand (%s)", at.Step, at.Type, item)
	switch kind, arg := parts[2], parts[3]; kind {
	case "", "error":
		return c.failing(at, item, arg, text)
	case "warning":
		return &Fault{Warning: true, Text: text}
	case "panic":
		panic(text)
	case "exit":
		code, _ := strconv.Atoi(arg)
		os.Exit(code)
	case "hang":
		<-ctx.Done()
		return &Fault{Text: text + ": " + ctx.Err().Error()}
	case "sleep":
		return sleep(ctx, arg)
	default:
		return &Fault{Text: fmt.Sprintf("unknown fault %q", item)}
	}
	return nil
}

// failing counts per object, so that "fail once, then succeed" is possible.
func (c *Cloud) failing(at Call, item, times, text string) *Fault {
	limit, err := strconv.Atoi(times)
	if err != nil {
		return &Fault{Text: text}
	}
	n, err := c.count("fault-" + at.Type + "-" + at.ID + "-" + item)
	if err != nil {
		return &Fault{Text: err.Error()}
	}
	if n > limit {
		return nil
	}
	return &Fault{Text: text}
}

func sleep(ctx context.Context, text string) *Fault {
	wait, err := time.ParseDuration(text)
	if err != nil {
		return &Fault{Text: err.Error()}
	}
	select {
	case <-time.After(wait):
		return nil
	case <-ctx.Done():
		return &Fault{Text: ctx.Err().Error()}
	}
}
