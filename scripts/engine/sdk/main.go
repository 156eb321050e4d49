// Writes the SDK of a Pulumi schema for one language into a folder: sdk LANGUAGE SCHEMA VERSION FOLDER.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	gen "github.com/pulumi/pulumi/pkg/v3/codegen/go"
	"github.com/pulumi/pulumi/pkg/v3/codegen/python"
	"github.com/pulumi/pulumi/pkg/v3/codegen/schema"
)

func main() {
	if len(os.Args) != 5 {
		exit(fmt.Errorf("usage: sdk LANGUAGE SCHEMA VERSION FOLDER"))
	}
	exit(write(os.Args[1], os.Args[2], os.Args[3], os.Args[4]))
}

func write(language, schemaFile, version, folder string) error {
	text, err := os.ReadFile(schemaFile)
	if err != nil {
		return err
	}
	var spec schema.PackageSpec
	if err := json.Unmarshal(text, &spec); err != nil {
		return err
	}
	spec.Version = version
	files, err := generate(language, spec)
	if err != nil {
		return err
	}
	for name, content := range files {
		file := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(file, content, 0o644); err != nil {
			return err
		}
	}
	return nil
}

func generate(language string, spec schema.PackageSpec) (map[string][]byte, error) {
	loader := schema.NewPluginLoader(nil)
	importers := map[string]schema.Language{"go": gen.Importer, "python": python.Importer}
	pkg, err := schema.ImportSpec(spec, importers, loader, schema.ValidationOptions{})
	if err != nil {
		return nil, err
	}
	switch language {
	case "go":
		return gen.GeneratePackage("fleetkeeper", pkg, nil)
	case "python":
		return python.GeneratePackage("fleetkeeper", pkg, nil, loader)
	}
	return nil, fmt.Errorf("no generator for %q", language)
}

func exit(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
