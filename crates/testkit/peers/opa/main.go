// Program opa-diff answers what OPA makes of policies: it is kept running and asked through pipes.
//
// It reads frames from standard input, a little-endian 32-bit length and a JSON request, and answers each with a
// frame. A request holds modules, data and queries, each query with the inputs to try. An answer holds the faults
// that OPA refuses the modules with, or an outcome for each query and input in turn. The request {"stats": true} is
// answered with how often each built-in gave a result since the last one.
package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"sort"
	"strings"
	"time"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/storage"
	"github.com/open-policy-agent/opa/v1/storage/inmem"
	"github.com/open-policy-agent/opa/v1/topdown"
	"github.com/open-policy-agent/opa/v1/topdown/print"
	"github.com/open-policy-agent/opa/v1/util"
)

type module struct {
	Name string `json:"name"`
	Text string `json:"text"`
	V0   bool   `json:"v0"`
}

type query struct {
	// Text is a reference whose value is asked for, or a query whose bindings are.
	Text     string    `json:"text"`
	Bindings bool      `json:"bindings"`
	Inputs   []*string `json:"inputs"`
}

type request struct {
	Stats   bool     `json:"stats"`
	Modules []module `json:"modules"`
	Data    string   `json:"data"`
	Strict  bool     `json:"strict"`
	NowNs   int64    `json:"now_ns"`
	// BudgetMs bounds each evaluation.
	BudgetMs int64 `json:"budget_ms"`
	// Indexing says whether rules are looked up and whether comprehensions are computed for all keys at once.
	Indexing bool `json:"indexing"`
	// Survey asks for all errors of built-ins on the way, which then end nothing.
	Survey bool `json:"survey"`
	// Apart asks for each rule, without those that give the same document, instead of the queries, with the inputs of the first.
	Apart bool `json:"apart"`
	// Reversed asks for rules to be evaluated in the opposite order.
	Reversed bool `json:"reversed"`
	// Mended names rows of docs/compatibility/opa.md: what they tell of is put right; see mend.go.
	Mended  []int   `json:"mended"`
	Queries []query `json:"queries"`
}

type fault struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	File    string `json:"file,omitempty"`
	Row     int    `json:"row,omitempty"`
}

// An outcome is a value (as a term and as JSON), an error, or neither: undefined.
type outcome struct {
	Term  *string `json:"term,omitempty"`
	JSON  *string `json:"json,omitempty"`
	Error *fault  `json:"error,omitempty"`
	// Errors are those of built-ins that a survey met.
	Errors []fault `json:"errors,omitempty"`
}

type answer struct {
	Faults   []fault          `json:"faults,omitempty"`
	Outcomes []outcome        `json:"outcomes,omitempty"`
	Results  map[string]int64 `json:"results,omitempty"`
}

var results = map[string]int64{}

func main() {
	// Some cases never end; the sooner they end the process the better.
	debug.SetMaxStack(64 << 20)
	debug.SetGCPercent(800)
	countResults()
	registerCopied()
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	out := bufio.NewWriterSize(os.Stdout, 1<<20)
	var size [4]byte
	for {
		if in.Buffered() == 0 {
			out.Flush()
		}
		if _, err := io.ReadFull(in, size[:]); err != nil {
			out.Flush()
			return
		}
		frame := make([]byte, binary.LittleEndian.Uint32(size[:]))
		if _, err := io.ReadFull(in, frame); err != nil {
			return
		}
		var asked request
		given := answer{}
		if err := json.Unmarshal(frame, &asked); err != nil {
			given.Faults = []fault{{Code: "request", Message: err.Error()}}
		} else if asked.Stats {
			given.Results = results
		} else {
			mended = map[int]bool{}
			for _, row := range asked.Mended {
				mended[row] = true
			}
			given = decide(&asked)
		}
		var text bytes.Buffer
		encoder := json.NewEncoder(&text)
		encoder.SetEscapeHTML(false)
		if err := encoder.Encode(given); err != nil {
			panic(err)
		}
		binary.LittleEndian.PutUint32(size[:], uint32(text.Len()))
		out.Write(size[:])
		out.Write(text.Bytes())
		if asked.Stats {
			results = map[string]int64{}
		}
	}
}

// countResults puts a counter round each built-in.
func countResults() {
	for _, builtin := range ast.CapabilitiesForThisVersion().Builtins {
		name := builtin.Name
		function := topdown.GetBuiltin(name)
		if function == nil {
			continue
		}
		topdown.RegisterBuiltinFunc(name, func(ctx topdown.BuiltinContext, args []*ast.Term, iter func(*ast.Term) error) error {
			if len(mended) > 0 {
				return mend(name, function, ctx, args, iter)
			}
			return function(ctx, args, func(result *ast.Term) error {
				results[name]++
				return iter(result)
			})
		})
	}
}

type silent struct{}

func (silent) Print(print.Context, string) error { return nil }

func faultsOf(err error) []fault {
	var list ast.Errors
	if !errors.As(err, &list) {
		var one *ast.Error
		if errors.As(err, &one) {
			list = ast.Errors{one}
		} else {
			return []fault{{Code: "other", Message: err.Error()}}
		}
	}
	var out []fault
	for _, it := range list {
		found := fault{Code: it.Code, Message: it.Message}
		if it.Location != nil {
			found.File, found.Row = it.Location.File, it.Location.Row
		}
		out = append(out, found)
	}
	return out
}

func decide(asked *request) (made answer) {
	defer func() {
		if cause := recover(); cause != nil {
			made = answer{Faults: []fault{{Code: "panic", Message: fmt.Sprint(cause)}}}
		}
	}()
	modules := map[string]*ast.Module{}
	var faults []fault
	for _, it := range asked.Modules {
		options := ast.ParserOptions{ProcessAnnotation: true, RegoVersion: ast.RegoV1}
		if it.V0 {
			options.RegoVersion = ast.RegoV0
		}
		parsed, err := ast.ParseModuleWithOpts(it.Name, it.Text, options)
		if err != nil {
			faults = append(faults, faultsOf(err)...)
			continue
		}
		if parsed != nil {
			modules[it.Name] = parsed
		}
	}
	if len(faults) > 0 {
		return answer{Faults: faults}
	}
	mendModules(modules)
	if asked.Reversed {
		modules = reversed(modules)
	}
	if asked.Apart && len(asked.Queries) > 0 {
		return apart(asked, modules)
	}
	return answerOf(asked, modules)
}

// answerOf compiles the modules and answers the queries.
func answerOf(asked *request, modules map[string]*ast.Module) answer {
	compiler := ast.NewCompiler().SetErrorLimit(0).WithEnablePrintStatements(true)
	if !asked.Indexing {
		compiler = compiler.WithSkipStages(ast.StageBuildComprehensionIndices)
	}
	compiler.Compile(modules)
	if compiler.Failed() {
		return answer{Faults: faultsOf(compiler.Errors)}
	}
	data := map[string]any{}
	if err := util.UnmarshalJSON([]byte(asked.Data), &data); err != nil {
		return answer{Faults: []fault{{Code: "data", Message: err.Error()}}}
	}
	store := inmem.NewFromObjectWithOpts(data, inmem.OptRoundTripOnWrite(false))
	ctx := context.Background()
	txn, err := store.NewTransaction(ctx)
	if err != nil {
		return answer{Faults: []fault{{Code: "store", Message: err.Error()}}}
	}
	defer store.Abort(ctx, txn)
	world := &world{asked, compiler, store, txn, nil}
	if mended[rowAsked] {
		world.ahead = wholeDocuments(modules)
	}
	var out []outcome
	for _, it := range asked.Queries {
		out = append(out, world.query(it)...)
	}
	return answer{Outcomes: out}
}

// apart answers for each rule what its document is without other rules.
func apart(asked *request, modules map[string]*ast.Module) answer {
	var out []outcome
	inputs := asked.Queries[0].Inputs
	for _, name := range util.KeysSorted(modules) {
		for i, rule := range modules[name].Rules {
			if len(rule.Head.Args) > 0 || rule.Default {
				continue
			}
			path := rule.Ref().StringPrefix()
			left := map[string]*ast.Module{}
			for other, module := range modules {
				left[other] = module.Copy()
				left[other].Rules = nil
				for j, it := range module.Copy().Rules {
					place := it.Ref().StringPrefix()
					isSibling := place.HasPrefix(path) || path.HasPrefix(place)
					if !isSibling || other == name && i == j {
						it.Module = left[other]
						left[other].Rules = append(left[other].Rules, it)
					}
				}
			}
			alone := *asked
			alone.Queries = []query{{Text: path.String(), Inputs: inputs}}
			made := answerOf(&alone, left)
			if made.Outcomes == nil {
				made.Outcomes = repeat(outcome{}, len(inputs))
			}
			out = append(out, made.Outcomes...)
		}
	}
	return answer{Outcomes: out}
}

type world struct {
	asked    *request
	compiler *ast.Compiler
	store    storage.Store
	txn      storage.Transaction
	// ahead is evaluated before each query.
	ahead ast.Body
}

func repeat(one outcome, count int) []outcome {
	out := make([]outcome, count)
	for i := range out {
		out[i] = one
	}
	return out
}

func (w *world) query(asked query) []outcome {
	text := asked.Text
	if !asked.Bindings {
		text = "answer = " + text
	}
	queryCompiler := w.compiler.QueryCompiler().WithEnablePrintStatements(true)
	body, err := ast.ParseBodyWithOpts(text, ast.ParserOptions{RegoVersion: ast.RegoV1})
	if err == nil {
		if mended[rowTemplates] {
			mendTemplates(body)
		}
		body, err = queryCompiler.Compile(append(w.ahead.Copy(), body...))
	}
	if err == nil && mended[rowWiths] {
		body = evaluateWiths(body)
	}
	if err != nil {
		return repeat(outcome{Error: &faultsOf(err)[0]}, len(asked.Inputs))
	}
	var out []outcome
	for _, input := range asked.Inputs {
		out = append(out, w.eval(body, queryCompiler, asked.Bindings, input))
	}
	return out
}

func (w *world) eval(body ast.Body, queryCompiler ast.QueryCompiler, bindings bool, input *string) (made outcome) {
	defer func() {
		if cause := recover(); cause != nil {
			made = outcome{Error: &fault{Code: "panic", Message: fmt.Sprint(cause)}}
		}
	}()
	cancel := topdown.NewCancel()
	timer := time.AfterFunc(time.Duration(w.asked.BudgetMs)*time.Millisecond, cancel.Cancel)
	defer timer.Stop()
	q := topdown.NewQuery(body).
		WithQueryCompiler(queryCompiler).
		WithCompiler(w.compiler).
		WithStore(w.store).
		WithTransaction(w.txn).
		WithIndexing(w.asked.Indexing).
		WithEarlyExit(!w.asked.Survey).
		WithStrictBuiltinErrors(w.asked.Strict && !w.asked.Survey).
		WithPrintHook(silent{}).
		WithCancel(cancel).
		WithTime(time.Unix(0, w.asked.NowNs))
	if input != nil {
		value, err := ast.ValueFromReader(strings.NewReader(*input))
		if err != nil {
			return outcome{Error: &fault{Code: "input", Message: err.Error()}}
		}
		q = q.WithInput(ast.NewTerm(value))
	}
	if w.asked.Survey {
		var met []topdown.Error
		q = q.WithBuiltinErrorList(&met)
		defer func() {
			for i := range met {
				made.Errors = append(made.Errors, *failed(&met[i]).Error)
			}
		}()
	}
	var terms []*ast.Term
	rewritten := queryCompiler.RewrittenVars()
	err := q.Iter(context.Background(), func(result topdown.QueryResult) error {
		if !bindings {
			terms = append(terms, result[ast.Var("answer")])
			return nil
		}
		var pairs [][2]*ast.Term
		for name, value := range result {
			if original, ok := rewritten[name]; ok {
				name = original
			}
			if name.IsGenerated() || name.IsWildcard() {
				continue
			}
			pairs = append(pairs, [2]*ast.Term{ast.StringTerm(string(name)), value})
		}
		terms = append(terms, ast.ObjectTerm(pairs...))
		return nil
	})
	if err != nil {
		return failed(err)
	}
	var value ast.Value
	switch {
	case bindings:
		sort.Slice(terms, func(i, j int) bool { return terms[i].Value.Compare(terms[j].Value) < 0 })
		value = ast.NewArray(terms...)
	case len(terms) == 0:
		return outcome{}
	default:
		value = terms[0].Value
	}
	term := value.String()
	plain, err := ast.JSON(value)
	if err != nil {
		return outcome{Term: &term}
	}
	text, err := json.Marshal(plain)
	if err != nil {
		return outcome{Term: &term}
	}
	printed := string(text)
	return outcome{Term: &term, JSON: &printed}
}

func failed(err error) outcome {
	var halt topdown.Halt
	if errors.As(err, &halt) {
		err = halt.Err
	}
	var known *topdown.Error
	if !errors.As(err, &known) {
		return outcome{Error: &fault{Code: "other", Message: err.Error()}}
	}
	found := &fault{Code: known.Code, Message: known.Message}
	if known.Location != nil {
		found.File, found.Row = known.Location.File, known.Location.Row
	}
	return outcome{Error: found}
}
