// The OPA peer: times prepared queries of OPA's Go module over scenario folders.
//
// usage: opa-peer --dir DIR --cases a,b [--secs 1] [--write]
//
// For each case the answers are checked against expected.jsonl first, then each mode is timed: "parsed" from
// an ast.Value to OPA's result set, "json" from bytes to bytes. One JSON line a case and mode. --write writes
// expected.jsonl instead, since OPA's answers are the expected ones.
package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"syscall"
	"time"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/rego"
	"github.com/open-policy-agent/opa/v1/storage/inmem"
	"github.com/open-policy-agent/opa/v1/util"
)

const (
	windows = 5
	passMin = 20
)

type scenario struct {
	name     string
	query    rego.PreparedEvalQuery
	inputs   [][]byte
	expected []any
	prep     time.Duration
}

type line struct {
	Peer   string  `json:"peer"`
	Case   string  `json:"case"`
	Mode   string  `json:"mode"`
	NS     float64 `json:"ns"`
	PrepMS float64 `json:"prep_ms"`
	RSS    int64   `json:"rss_kb"`
	Bad    int     `json:"bad"`
}

func main() {
	dir := flag.String("dir", "", "folder of scenario folders")
	cases := flag.String("cases", "", "scenarios, separated by commas")
	secs := flag.Float64("secs", 1, "seconds for each case and mode")
	write := flag.Bool("write", false, "write expected.jsonl and measure nothing")
	flag.Parse()
	for _, name := range strings.Split(*cases, ",") {
		if err := runCase(*dir, name, *secs, *write); err != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
			os.Exit(1)
		}
	}
}

func runCase(dir, name string, secs float64, write bool) error {
	s, err := load(filepath.Join(dir, name), !write)
	if err != nil {
		return err
	}
	s.name = name
	if write {
		return writeExpected(s, filepath.Join(dir, name, "expected.jsonl"))
	}
	values := make([]ast.Value, len(s.inputs))
	for i, text := range s.inputs {
		if values[i], err = parsedInput(text); err != nil {
			return err
		}
	}
	ctx := context.Background()
	parsed := func(i int) error {
		_, err := s.query.Eval(ctx, rego.EvalParsedInput(values[i]))
		return err
	}
	fromJSON := func(i int) error {
		_, err := answer(ctx, s.query, s.inputs[i])
		return err
	}
	bad, err := check(ctx, s)
	if err != nil {
		return err
	}
	for _, mode := range []struct {
		name string
		eval func(int) error
	}{{"parsed", parsed}, {"json", fromJSON}} {
		ns, err := best(len(s.inputs), secs, mode.eval)
		if err != nil {
			return err
		}
		out, err := json.Marshal(line{"opa", s.name, mode.name, ns, float64(s.prep.Microseconds()) / 1e3, rss(), bad})
		if err != nil {
			return err
		}
		fmt.Println(string(out))
	}
	return nil
}

func load(dir string, expect bool) (*scenario, error) {
	var meta struct{ Query string }
	if err := readJSON(filepath.Join(dir, "meta.json"), &meta); err != nil {
		return nil, err
	}
	policy, err := os.ReadFile(filepath.Join(dir, "policy.rego"))
	if err != nil {
		return nil, err
	}
	text, err := os.ReadFile(filepath.Join(dir, "data.json"))
	if err != nil {
		return nil, err
	}
	s := &scenario{}
	began := time.Now()
	var data map[string]any
	if err := util.UnmarshalJSON(text, &data); err != nil {
		return nil, err
	}
	s.query, err = rego.New(rego.Query(meta.Query), rego.Module("policy.rego", string(policy)),
		rego.Store(inmem.NewFromObject(data))).PrepareForEval(context.Background())
	if err != nil {
		return nil, err
	}
	s.prep = time.Since(began)
	if s.inputs, err = lines(filepath.Join(dir, "inputs.jsonl")); err != nil || !expect {
		return s, err
	}
	answers, err := lines(filepath.Join(dir, "expected.jsonl"))
	if err != nil {
		return nil, err
	}
	for _, text := range answers {
		var value any
		if err := json.Unmarshal(text, &value); err != nil {
			return nil, err
		}
		s.expected = append(s.expected, value)
	}
	return s, nil
}

func readJSON(path string, into any) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	return json.Unmarshal(text, into)
}

func lines(path string) ([][]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	var out [][]byte
	scanner := bufio.NewScanner(file)
	scanner.Buffer(nil, 1<<26)
	for scanner.Scan() {
		out = append(out, bytes.Clone(scanner.Bytes()))
	}
	return out, scanner.Err()
}

func parsedInput(text []byte) (ast.Value, error) {
	var x any
	if err := util.UnmarshalJSON(text, &x); err != nil {
		return nil, err
	}
	return ast.InterfaceToValue(x)
}

// answer goes from the bytes of an input to the bytes of the answer; undefined is no bytes.
func answer(ctx context.Context, query rego.PreparedEvalQuery, text []byte) ([]byte, error) {
	var x any
	if err := util.UnmarshalJSON(text, &x); err != nil {
		return nil, err
	}
	rs, err := query.Eval(ctx, rego.EvalInput(x))
	if err != nil || len(rs) == 0 {
		return nil, err
	}
	return json.Marshal(rs[0].Expressions[0].Value)
}

func writeExpected(s *scenario, path string) error {
	var out bytes.Buffer
	for _, text := range s.inputs {
		got, err := answer(context.Background(), s.query, text)
		if err != nil {
			return err
		}
		out.Write(got)
		out.WriteByte('\n')
	}
	return os.WriteFile(path, out.Bytes(), 0o644)
}

func check(ctx context.Context, s *scenario) (int, error) {
	bad := 0
	for i, text := range s.inputs {
		got, err := answer(ctx, s.query, text)
		if err != nil {
			return 0, err
		}
		var value any
		if len(got) == 0 || json.Unmarshal(got, &value) != nil || !reflect.DeepEqual(value, s.expected[i]) {
			bad++
		}
	}
	return bad, nil
}

// best returns the least CPU time of an evaluation in ns over several windows. All windows run the same
// inputs: as many as fit into a window, from the first on.
func best(inputs int, secs float64, eval func(int) error) (float64, error) {
	window := secs / windows
	count := min(inputs, passMin)
	began := cpu()
	for i := range count {
		if err := eval(i); err != nil {
			return 0, err
		}
	}
	each := (cpu() - began) / float64(count)
	count = max(min(inputs, int(window/each)), min(inputs, passMin))
	least := 1e18
	for range windows {
		began := cpu()
		runs := 0
		for runs == 0 || cpu()-began < window {
			for i := range count {
				if err := eval(i); err != nil {
					return 0, err
				}
			}
			runs += count
		}
		least = min(least, (cpu()-began)/float64(runs)*1e9)
	}
	return least, nil
}

// cpu returns the CPU seconds of the process so far.
func cpu() float64 {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		panic(err)
	}
	return float64(usage.Utime.Nano()+usage.Stime.Nano()) / 1e9
}

func rss() int64 {
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	for _, row := range strings.Split(string(text), "\n") {
		var kb int64
		if n, _ := fmt.Sscanf(row, "VmRSS: %d kB", &kb); n == 1 {
			return kb
		}
	}
	return 0
}
