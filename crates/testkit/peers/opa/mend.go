// What OPA is known to get wrong, put right as far as that can be done from outside: rows of
// docs/compatibility/opa.md. If OPA so mended answers as Lictor does, a difference is one of these rows and no other.
package main

import (
	"encoding/json"
	"net/netip"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/topdown"
)

// mended says whether the request at hand asks for mended built-ins.
var mended bool

type yield = func(*ast.Term) error

func mend(name string, function topdown.BuiltinFunc, ctx topdown.BuiltinContext, args []*ast.Term, iter yield) error {
	switch name {
	case "net.cidr_merge":
		args = plainNetworks(args)
	case "json.patch":
		return patchInSteps(function, ctx, args, iter)
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

// compareOutputs has the results of functions that are given as last operands compared with what the functions give:
// `f(x, 1)` becomes `f(x) = 1`. OPA leaves out clauses that give something else, and with them conflicts.
func compareOutputs(modules map[string]*ast.Module) {
	arity := map[string]int{}
	for _, module := range modules {
		for _, rule := range module.Rules {
			if len(rule.Head.Args) > 0 {
				arity[lastName(rule.Head.Ref())] = len(rule.Head.Args)
			}
		}
	}
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
