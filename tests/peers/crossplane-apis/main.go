// What generated Go types are compiled with: building this program fetches and
// compiles it once, so that no test has to. It tells what it was built with.
package main

import (
	"fmt"
	"runtime/debug"

	_ "github.com/crossplane/crossplane/apis/v2/core/v2"
	_ "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	_ "k8s.io/apimachinery/pkg/apis/meta/v1"
	_ "k8s.io/apimachinery/pkg/runtime"
	_ "k8s.io/apimachinery/pkg/runtime/schema"
)

func main() {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		panic("built without modules")
	}
	fmt.Println(info.GoVersion)
	for _, module := range info.Deps {
		fmt.Println(module.Path, module.Version)
	}
}
