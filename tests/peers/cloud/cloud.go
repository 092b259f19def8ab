// Package cloud is the cloud of the test providers: a folder that holds one
// JSON file an object, TYPE/ID.json. A test makes drift with an editor, and
// deleting a file is how an object vanishes behind the provider's back.
//
// Beside the objects the folder holds
//
//	journal        one line per call: "create legacy_server/web"
//	faults         failures on demand, written by a test (see fault.go)
//	.counters/     how often something happened, for counted faults and ids
package cloud

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
	"time"
)

// Object is one object of the cloud. Numbers are json.Number, so that no digit
// is lost on the way through a float.
type Object = map[string]any

// Errors a provider tells apart.
var (
	ErrExists   = errors.New("already exists")
	ErrNotFound = errors.New("not found")
)

// Cloud is an open folder.
type Cloud struct {
	Folder string

	// Faults of the provider configuration: resource type to fault list.
	Faults map[string]string

	// Sequence makes ids count up (TYPE-1, TYPE-2, ...) where no name is
	// given; otherwise they are random, as in most clouds.
	Sequence bool

	// Clock, when set, is what Now answers for ever.
	Clock string
}

// Open makes sure that the folder exists. With an empty argument the
// environment variable TERRANE_TEST_CLOUD names it.
func Open(folder string) (*Cloud, error) {
	if folder == "" {
		folder = os.Getenv("TERRANE_TEST_CLOUD")
	}
	if folder == "" {
		return nil, errors.New("no folder: set the provider argument \"folder\" or the environment variable TERRANE_TEST_CLOUD")
	}
	folder, err := filepath.Abs(folder)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return nil, err
	}
	return &Cloud{Folder: folder, Clock: os.Getenv("TERRANE_TEST_CLOCK")}, nil
}

// Now is the time for "created_at" and the like; a test can hold it still.
func (c *Cloud) Now() string {
	if c.Clock != "" {
		return c.Clock
	}
	return time.Now().UTC().Format(time.RFC3339)
}

// NewID gives the id of a new object: the name where there is one, so that a
// test knows it beforehand; else a counted or a random one.
func (c *Cloud) NewID(typeName, name string) (string, error) {
	if name != "" {
		return name, nil
	}
	if c.Sequence {
		n, err := c.count("id-" + typeName)
		return fmt.Sprintf("%s-%d", typeName, n), err
	}
	var b [6]byte
	if _, err := rand.Read(b[:]); err != nil {
		return "", err
	}
	return "o-" + hex.EncodeToString(b[:]), nil
}

func (c *Cloud) file(typeName, id string) string {
	return filepath.Join(c.Folder, typeName, url.PathEscape(id)+".json")
}

// Create stores a new object and refuses an id that is in use.
func (c *Cloud) Create(typeName, id string, o Object) error {
	c.journal("create", typeName, id)
	return c.write(typeName, id, o, true)
}

// Update replaces an object that must exist.
func (c *Cloud) Update(typeName, id string, o Object) error {
	c.journal("update", typeName, id)
	if _, err := os.Stat(c.file(typeName, id)); err != nil {
		return fmt.Errorf("%s %q: %w", typeName, id, ErrNotFound)
	}
	return c.write(typeName, id, o, false)
}

// Delete removes an object; one that is gone already is fine.
func (c *Cloud) Delete(typeName, id string) error {
	c.journal("delete", typeName, id)
	err := os.Remove(c.file(typeName, id))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// Read loads an object, or ErrNotFound.
func (c *Cloud) Read(typeName, id string) (Object, error) {
	c.journal("read", typeName, id)
	return c.load(typeName, id)
}

func (c *Cloud) load(typeName, id string) (Object, error) {
	text, err := os.ReadFile(c.file(typeName, id))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s %q: %w", typeName, id, ErrNotFound)
	}
	if err != nil {
		return nil, err
	}
	o := Object{}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&o); err != nil {
		return nil, fmt.Errorf("%s: %w", c.file(typeName, id), err)
	}
	return o, nil
}

// List gives the ids of all objects of a type, sorted.
func (c *Cloud) List(typeName string) ([]string, error) {
	c.journal("list", typeName, "")
	entries, err := os.ReadDir(filepath.Join(c.Folder, typeName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var ids []string
	for _, e := range entries {
		name, ok := strings.CutSuffix(e.Name(), ".json")
		if !ok || strings.HasPrefix(name, ".") {
			continue
		}
		if id, err := url.PathUnescape(name); err == nil {
			ids = append(ids, id)
		}
	}
	sort.Strings(ids)
	return ids, err
}

// Exists tells whether a file is in the folder: a prerequisite, a switch.
func (c *Cloud) Exists(name string) bool {
	_, err := os.Stat(filepath.Join(c.Folder, filepath.FromSlash(name)))
	return err == nil
}

// write goes to a temporary file first, so that a reader never sees half an
// object; link fails on an existing name where rename would not.
func (c *Cloud) write(typeName, id string, o Object, fresh bool) error {
	target := c.file(typeName, id)
	if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
		return err
	}
	text, err := marshal(o)
	if err != nil {
		return err
	}
	tmp, err := os.CreateTemp(filepath.Dir(target), ".new-*")
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name())
	if _, err := tmp.Write(text); err != nil {
		tmp.Close()
		return err
	}
	if err := tmp.Close(); err != nil {
		return err
	}
	if err := os.Chmod(tmp.Name(), 0o644); err != nil {
		return err
	}
	if !fresh {
		return os.Rename(tmp.Name(), target)
	}
	err = os.Link(tmp.Name(), target)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s %q: %w", typeName, id, ErrExists)
	}
	return err
}

func marshal(o Object) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(o)
	return b.Bytes(), err
}

// journal appends one line. A test counts calls with it, so a line must not be
// torn by a parallel call: one write on an O_APPEND file is not.
func (c *Cloud) journal(verb, typeName, id string) {
	c.append("journal", verb+" "+typeName+"/"+id+"\n")
}

func (c *Cloud) append(name, line string) {
	f, err := os.OpenFile(filepath.Join(c.Folder, name), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return
	}
	defer f.Close()
	_, _ = f.WriteString(line)
}

// Note writes a line of a provider's own to the journal: a function call, an
// ephemeral resource that was closed.
func (c *Cloud) Note(line string) { c.append("journal", line+"\n") }

// count answers 1, 2, 3, ... for a key, across processes. Taking a number is
// creating its file exclusively.
func (c *Cloud) count(key string) (int, error) {
	dir := filepath.Join(c.Folder, ".counters", url.PathEscape(key))
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return 0, err
	}
	for n := 1; ; n++ {
		f, err := os.OpenFile(filepath.Join(dir, strconv.Itoa(n)), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
		if err == nil {
			return n, f.Close()
		}
		if !errors.Is(err, fs.ErrExist) {
			return 0, err
		}
	}
}

// Count is count for providers, for example for a value that differs at every
// read.
func (c *Cloud) Count(key string) (int, error) { return c.count(key) }
