// What OPA is known to get wrong, put right as far as that can be done from outside: rows of
// docs/compatibility/opa.md. If OPA so mended answers as Lictor does, a difference is one of these rows and no other.
package main

import (
	"encoding/json"
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/topdown"
	"github.com/open-policy-agent/opa/v1/types"
	"github.com/open-policy-agent/opa/v1/util"
)

// The rows that can be put right.
const (
	rowNot       = 1
	rowIndex     = 2
	rowAsked     = 4
	rowLiterals  = 5
	rowOperands  = 6
	rowTexts     = 7
	rowTemplates = 8
	rowWiths     = 10
)

// mended holds the rows that the request at hand asks to put right.
var mended map[int]bool

type yield = func(*ast.Term) error

func mend(name string, function topdown.BuiltinFunc, ctx topdown.BuiltinContext, args []*ast.Term, iter yield) error {
	switch {
	case name == "net.cidr_merge" && mended[rowOperands]:
		args = plainNetworks(args)
	case name == "json.patch" && mended[rowOperands]:
		return patchInSteps(function, ctx, args, iter)
	}
	if !mended[rowTexts] {
		return function(ctx, args, iter)
	}
	return function(ctx, args, func(result *ast.Term) error {
		if number, ok := result.Value.(ast.Number); ok && name == "to_number" {
			result = ast.NewTerm(plainNumber(number))
		}
		return iter(plainText(result))
	})
}

// patchInSteps has one operation done after the other, each on the whole outcome of those before.
func patchInSteps(function topdown.BuiltinFunc, ctx topdown.BuiltinContext, args []*ast.Term, iter yield) error {
	list, ok := args[1].Value.(*ast.Array)
	if !ok || list.Len() < 2 {
		return function(ctx, args, iter)
	}
	document := args[0]
	for i := range list.Len() {
		var patched *ast.Term
		err := function(ctx, []*ast.Term{document, ast.ArrayTerm(list.Elem(i))}, func(it *ast.Term) error {
			patched = it
			return nil
		})
		if err != nil || patched == nil {
			return err
		}
		document = patched
	}
	return iter(document)
}

// plainNetworks writes IPv4 networks that are written as IPv6 as what they are.
func plainNetworks(args []*ast.Term) []*ast.Term {
	plain := func(it *ast.Term) (*ast.Term, error) {
		text, ok := it.Value.(ast.String)
		if !ok {
			return it, nil
		}
		address, bits, found := strings.Cut(string(text), "/")
		parsed, err := netip.ParseAddr(address)
		if err != nil || !parsed.Is4In6() {
			return it, nil
		}
		if !found {
			return ast.StringTerm(parsed.Unmap().String()), nil
		}
		count, err := strconv.Atoi(bits)
		if err != nil || count < 96 || count > 128 {
			return it, nil
		}
		return ast.StringTerm(parsed.Unmap().String() + "/" + strconv.Itoa(count-96)), nil
	}
	switch list := args[0].Value.(type) {
	case *ast.Array:
		return []*ast.Term{mapped(list, func(it *ast.Term) *ast.Term {
			made, _ := plain(it)
			return made
		})}
	case ast.Set:
		if made, err := list.Map(plain); err == nil {
			return []*ast.Term{ast.NewTerm(made)}
		}
	}
	return args
}

// plainNumber writes a number that only Go reads as JSON.
func plainNumber(number ast.Number) ast.Number {
	if json.Valid([]byte(number)) {
		return number
	}
	text := strings.ReplaceAll(strings.TrimPrefix(string(number), "+"), "_", "")
	digits, minus := strings.CutPrefix(text, "-")
	if strings.HasPrefix(digits, ".") {
		digits = "0" + digits
	}
	for len(digits) > 1 && digits[0] == '0' && digits[1] >= '0' && digits[1] <= '9' {
		digits = digits[1:]
	}
	if before, after, found := strings.Cut(digits, "."); found && (after == "" || after[0] < '0' || after[0] > '9') {
		digits = before + after
	}
	if minus {
		digits = "-" + digits
	}
	if json.Valid([]byte(digits)) {
		return ast.Number(digits)
	}
	return number
}

// plainText puts U+FFFD in the place of each byte that is no text, in strings and lists of them.
func plainText(term *ast.Term) *ast.Term {
	switch value := term.Value.(type) {
	case ast.String:
		if !utf8.ValidString(string(value)) {
			return ast.StringTerm(string([]rune(string(value))))
		}
	case *ast.Array:
		return mapped(value, plainText)
	}
	return term
}

func mapped(list *ast.Array, change func(*ast.Term) *ast.Term) *ast.Term {
	made := make([]*ast.Term, 0, list.Len())
	list.Foreach(func(it *ast.Term) { made = append(made, change(it)) })
	return ast.ArrayTerm(made...)
}

// mendModules puts right what can be said in other words.
func mendModules(modules map[string]*ast.Module) {
	if mended[rowIndex] {
		compareOutputs(modules)
	}
	if mended[rowWiths] {
		copyValues(modules)
	}
	for _, module := range modules {
		if mended[rowNot] {
			for _, rule := range module.Rules {
				lengthenBodies(rule)
			}
		}
		if mended[rowLiterals] {
			for _, rule := range module.Rules {
				evaluateLiterals(rule)
			}
		}
		if mended[rowTemplates] {
			mendTemplates(module)
		}
	}
}

// lengthenBodies adds `true` to bodies of nothing but an expression with `not`, which OPA may drop.
func lengthenBodies(rule *ast.Rule) {
	for it := rule; it != nil; it = it.Else {
		if len(it.Body) == 1 && it.Body[0].Negated {
			it.Body.Append(ast.NewExpr(ast.BooleanTerm(true)))
		}
	}
}

// evaluateLiterals has sets and objects with members or keys that are not known yet joined with empty ones, which makes
// values of them.
func evaluateLiterals(rule *ast.Rule) {
	evaluate := ast.NewGenericVisitor(func(x any) bool {
		term, ok := x.(*ast.Term)
		if !ok {
			return false
		}
		written := &ast.Term{Value: term.Value, Location: term.Location}
		switch value := term.Value.(type) {
		case ast.Set:
			if !ast.IsConstant(value) {
				term.Value = ast.Or.Call(written, ast.SetTerm()).Value
			}
			return true
		case ast.Object:
			unknown := func(key, _ *ast.Term) bool { return !ast.IsConstant(key.Value) }
			if value.Until(unknown) {
				term.Value = ast.ObjectUnion.Call(written, ast.ObjectTerm()).Value
				return true
			}
		}
		return false
	})
	for it := rule; it != nil; it = it.Else {
		evaluate.Walk(it.Body)
		if it.Head.Value != nil {
			evaluate.Walk(it.Head.Value)
		}
	}
}

// wholeDocuments returns statements that read all documents of keys or members as a whole. What OPA so keeps it answers from
// when it is asked for one key.
func wholeDocuments(modules map[string]*ast.Module) ast.Body {
	known := map[string]bool{}
	var body ast.Body
	for _, name := range util.KeysSorted(modules) {
		for _, rule := range modules[name].Rules {
			ref := rule.Ref().GroundPrefix()
			isPartial := rule.Head.RuleKind() == ast.MultiValue || len(ref) < len(rule.Ref())
			if len(rule.Head.Args) > 0 || !isPartial || known[ref.String()] {
				continue
			}
			known[ref.String()] = true
			it := ast.VarTerm("__local_whole" + strconv.Itoa(len(known)) + "__")
			list := ast.ArrayComprehensionTerm(it, ast.NewBody(ast.Equality.Expr(it, ast.NewTerm(ref))))
			body.Append(ast.Equality.Expr(ast.VarTerm("__local_list"+strconv.Itoa(len(known))+"__"), list))
		}
	}
	return body
}

// reversed returns the modules with their rules in the opposite order.
func reversed(modules map[string]*ast.Module) map[string]*ast.Module {
	turned := map[string]*ast.Module{}
	for i, name := range util.KeysSorted(modules) {
		slices.Reverse(modules[name].Rules)
		turned[fmt.Sprintf("%04d", len(modules)-i)] = modules[name]
	}
	return turned
}

// mendTemplates writes template strings inside of `not { … }` as the calls that OPA makes of them, which it refuses to
// do where the variables of that body are used.
func mendTemplates(in any) {
	count := 0
	strings := func(x any) bool {
		term, ok := x.(*ast.Term)
		if !ok {
			return false
		}
		template, ok := term.Value.(*ast.TemplateString)
		if !ok {
			return false
		}
		var parts []*ast.Term
		for _, part := range template.Parts {
			switch part := part.(type) {
			case *ast.Term:
				parts = append(parts, part)
			case *ast.Expr:
				count++
				name := ast.VarTerm("__part" + strconv.Itoa(count) + "__")
				parts = append(parts, ast.SetComprehensionTerm(name, ast.NewBody(captured(name, part))))
			}
		}
		if len(parts) == 0 {
			parts = append(parts, ast.StringTerm(""))
		}
		term.Value = ast.InternalTemplateString.Call(ast.ArrayTerm(parts...)).Value
		return false
	}
	ast.NewGenericVisitor(func(x any) bool {
		if not, ok := x.(*ast.Not); ok {
			ast.NewGenericVisitor(strings).Walk(not.Body)
		}
		return false
	}).Walk(in)
}

// captured returns the expression that gives the variable the value of a part.
func captured(name *ast.Term, part *ast.Expr) *ast.Expr {
	var value *ast.Term
	switch terms := part.Terms.(type) {
	case *ast.Term:
		value = terms
	case []*ast.Term:
		value = ast.CallTerm(terms...)
	}
	made := ast.Equality.Expr(name, value).SetLocation(part.Location)
	made.With = part.With
	return made
}

// compareOutputs has the results of functions that are given as last operands compared with what the functions give:
// `f(x, 1)` becomes `f(x) = 1`. OPA leaves out clauses that give something else, and with them conflicts.
func compareOutputs(modules map[string]*ast.Module) {
	arity := arities(modules)
	for _, module := range modules {
		aliases := map[string]string{}
		for _, it := range module.Imports {
			if path, ok := it.Path.Value.(ast.Ref); ok {
				aliases[string(it.Name())] = lastName(path)
			}
		}
		ast.WalkExprs(module, func(expr *ast.Expr) bool {
			terms, ok := expr.Terms.([]*ast.Term)
			if !ok || len(terms) < 3 {
				return false
			}
			operator, ok := terms[0].Value.(ast.Ref)
			if !ok {
				return false
			}
			name := lastName(operator)
			if whole, ok := aliases[name]; ok && len(operator) == 1 {
				name = whole
			}
			if count, ok := arity[name]; ok && len(terms) == count+2 {
				call := ast.CallTerm(terms[:count+1]...).SetLocation(terms[0].Location)
				expr.Terms = ast.Equality.Expr(call, terms[count+1]).SetLocation(expr.Location).Terms
			}
			return false
		})
	}
}

// arities returns how many parameters functions have.
func arities(modules map[string]*ast.Module) map[string]int {
	arity := map[string]int{}
	for _, module := range modules {
		for _, rule := range module.Rules {
			if len(rule.Head.Args) > 0 {
				arity[lastName(rule.Head.Ref())] = len(rule.Head.Args)
			}
		}
	}
	return arity
}

// copied is a built-in that returns a value of its own, as large as the one that it is given.
var copied = &ast.Builtin{Name: "mended.copy", Decl: types.NewFunction(types.Args(types.A), types.A)}

func registerCopied() {
	ast.RegisterBuiltin(copied)
	topdown.RegisterBuiltinFunc(copied.Name, func(_ topdown.BuiltinContext, args []*ast.Term, iter func(*ast.Term) error) error {
		return iter(rebuilt(args[0]))
	})
}

// rebuilt returns a copy. Those that OPA makes of base documents share what they are read from.
func rebuilt(term *ast.Term) *ast.Term {
	switch value := term.Value.(type) {
	case ast.Object:
		made := ast.NewObject()
		value.Foreach(func(key, value *ast.Term) { made.Insert(key, rebuilt(value)) })
		return ast.NewTerm(made)
	case *ast.Array:
		return mapped(value, rebuilt)
	}
	return term.Copy()
}

// copyValues has each `with` put a copy of its value in place, so that others that put something below it leave the
// document alone that it came from.
func copyValues(modules map[string]*ast.Module) {
	arity := arities(modules)
	for _, module := range modules {
		ast.WalkExprs(module, func(expr *ast.Expr) bool {
			for _, with := range expr.With {
				target, ok := with.Target.Value.(ast.Ref)
				if !ok || arity[lastName(target)] > 0 || !target.HasPrefix(ast.DefaultRootRef) {
					continue
				}
				with.Value = copied.Call(with.Value).SetLocation(with.Value.Location)
			}
			return false
		})
	}
}

// lastName returns the last part of a reference; functions of a case have names of their own.
func lastName(ref ast.Ref) string {
	switch last := ref[len(ref)-1].Value.(type) {
	case ast.String:
		return string(last)
	case ast.Var:
		return string(last)
	}
	return ""
}

// evaluateWiths has the values of `with` in the closures of a query computed before they are used, as they are in
// those of rules. OPA leaves them as they stand.
func evaluateWiths(body ast.Body) ast.Body {
	count := 0
	var ahead ast.Body
	var computed func(*ast.Term) (*ast.Term, error)
	computed = func(it *ast.Term) (*ast.Term, error) {
		switch value := it.Value.(type) {
		case *ast.Array:
			return mapped(value, func(it *ast.Term) *ast.Term {
				made, _ := computed(it)
				return made
			}), nil
		case ast.Set:
			made, err := value.Map(computed)
			return ast.NewTerm(made), err
		case ast.Object:
			made, err := value.Map(func(key, value *ast.Term) (*ast.Term, *ast.Term, error) {
				key, _ = computed(key)
				value, _ = computed(value)
				return key, value, nil
			})
			return ast.NewTerm(made), err
		case ast.Ref, *ast.ArrayComprehension, *ast.SetComprehension, *ast.ObjectComprehension:
			count++
			name := ast.VarTerm("__mended" + strconv.Itoa(count) + "__")
			ahead.Append(ast.Equality.Expr(name, it))
			return name, nil
		}
		return it, nil
	}
	inside := func(body ast.Body) ast.Body {
		var made ast.Body
		for _, expr := range body {
			ahead = nil
			for _, with := range expr.With {
				if value, err := computed(with.Value); err == nil {
					with.Value = value
				}
			}
			for _, it := range ahead {
				made.Append(it)
			}
			made.Append(expr)
		}
		return made
	}
	ast.NewGenericVisitor(func(x any) bool {
		switch x := x.(type) {
		case *ast.ArrayComprehension:
			x.Body = inside(x.Body)
		case *ast.SetComprehension:
			x.Body = inside(x.Body)
		case *ast.ObjectComprehension:
			x.Body = inside(x.Body)
		case *ast.Every:
			x.Body = inside(x.Body)
		}
		return false
	}).Walk(body)
	return body
}
