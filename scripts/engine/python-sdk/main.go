// Writes the Python SDK of a Pulumi schema into a folder: python-sdk SCHEMA VERSION FOLDER.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/pulumi/pulumi/pkg/v3/codegen/python"
	"github.com/pulumi/pulumi/pkg/v3/codegen/schema"
)

func main() {
	if len(os.Args) != 4 {
		exit(fmt.Errorf("usage: python-sdk SCHEMA VERSION FOLDER"))
	}
	exit(generate(os.Args[1], os.Args[2], os.Args[3]))
}

func generate(schemaFile, version, folder string) error {
	text, err := os.ReadFile(schemaFile)
	if err != nil {
		return err
	}
	var spec schema.PackageSpec
	if err := json.Unmarshal(text, &spec); err != nil {
		return err
	}
	spec.Version = version
	loader := schema.NewPluginLoader(nil)
	pkg, err := schema.ImportSpec(spec, map[string]schema.Language{"python": python.Importer}, loader, schema.ValidationOptions{})
	if err != nil {
		return err
	}
	files, err := python.GeneratePackage("fleetkeeper", pkg, nil, loader)
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

func exit(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
