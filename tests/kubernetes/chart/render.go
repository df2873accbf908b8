// Renders a chart as `helm template` does, as far as ours needs it: Debian has no helm, but the libraries that helm is made of.
//
// Usage: render CHART NAMESPACE API_VERSIONS [VALUES_FILE]
//
// Prints a JSON object: the text of each template by its path in the chart, without those that are empty.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"text/template"

	"github.com/Masterminds/sprig"
	"sigs.k8s.io/yaml"
)

type tree = map[string]interface{}

// files is the part of .Files that our templates use.
type files struct{ chart string }

func (f files) Get(name string) (string, error) {
	data, err := os.ReadFile(filepath.Join(f.chart, name))
	return string(data), err
}

// versions is .Capabilities.APIVersions: "group/version" and "group/version/Kind".
type versions []string

func (v versions) Has(wanted string) bool {
	for _, version := range v {
		if version == wanted {
			return true
		}
	}
	return false
}

// merged has what is in both, the second one first; null takes a default away, as helm does it.
func merged(defaults, given tree) tree {
	result := tree{}
	for key, value := range defaults {
		result[key] = value
	}
	for key, value := range given {
		if value == nil {
			delete(result, key)
			continue
		}
		below, isTree := value.(tree)
		if old, wasTree := result[key].(tree); isTree && wasTree {
			value = merged(old, below)
		}
		result[key] = value
	}
	return result
}

func read(path string) (tree, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	result := tree{}
	return result, yaml.Unmarshal(data, &result)
}

func functions(templates *template.Template) template.FuncMap {
	result := sprig.TxtFuncMap()
	delete(result, "env") // as helm does
	delete(result, "expandenv")
	result["toYaml"] = func(value interface{}) (string, error) {
		data, err := yaml.Marshal(value)
		return strings.TrimSuffix(string(data), "\n"), err
	}
	result["include"] = func(name string, data interface{}) (string, error) {
		var text strings.Builder
		err := templates.ExecuteTemplate(&text, name, data)
		return text.String(), err
	}
	return result
}

// render returns the text of each template by its path in the chart.
func render(chart string, data tree) (map[string]string, error) {
	templates := template.New("chart").Option("missingkey=zero")
	templates.Funcs(functions(templates))
	var paths []string
	err := filepath.Walk(filepath.Join(chart, "templates"), func(path string, info os.FileInfo, err error) error {
		if err != nil || info.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		name, _ := filepath.Rel(chart, path)
		if !strings.HasPrefix(filepath.Base(path), "_") {
			paths = append(paths, name)
		}
		_, err = templates.New(name).Parse(string(text))
		return err
	})
	if err != nil {
		return nil, err
	}
	texts := map[string]string{}
	for _, path := range paths {
		var text bytes.Buffer
		if err := templates.ExecuteTemplate(&text, path, data); err != nil {
			return nil, err
		}
		// As helm does it: a value that is not there is nothing.
		if result := strings.ReplaceAll(text.String(), "<no value>", ""); strings.TrimSpace(result) != "" {
			texts[path] = result
		}
	}
	return texts, nil
}

func run(chart, namespace, apis string, given []string) error {
	values, err := read(filepath.Join(chart, "values.yaml"))
	if err != nil {
		return err
	}
	for _, path := range given {
		more, err := read(path)
		if err != nil {
			return err
		}
		values = merged(values, more)
	}
	about, err := read(filepath.Join(chart, "Chart.yaml"))
	if err != nil {
		return err
	}
	texts, err := render(chart, tree{
		"Values":       values,
		"Chart":        tree{"Name": about["name"], "Version": about["version"], "AppVersion": about["appVersion"]},
		"Release":      tree{"Name": "twofold", "Namespace": namespace, "Service": "Helm", "IsInstall": true, "IsUpgrade": false},
		"Capabilities": tree{"APIVersions": versions(strings.Split(apis, ",")), "KubeVersion": tree{"Version": "v1.36.0"}},
		"Files":        files{chart},
	})
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(texts)
}

func main() {
	if len(os.Args) < 4 {
		fmt.Fprintln(os.Stderr, "usage: render CHART NAMESPACE API_VERSIONS [VALUES_FILE]...")
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Args[2], os.Args[3], os.Args[4:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
