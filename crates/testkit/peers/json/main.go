// Program json answers how Go's encoding/json, used as OPA uses it, reads documents.
//
// It reads frames from standard input, a little-endian 32-bit length and as many bytes, and answers each with
// two frames: the document read whole (a data file) and the first value alone (a request body). An answer is
// "a" and the value as encoding/json writes it, or "e", the offset of a syntax error, a space and the text.
package main

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
)

func main() {
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	out := bufio.NewWriterSize(os.Stdout, 1<<20)
	defer out.Flush()
	var size [4]byte
	for {
		if in.Buffered() == 0 {
			out.Flush()
		}
		if _, err := io.ReadFull(in, size[:]); err != nil {
			return
		}
		doc := make([]byte, binary.LittleEndian.Uint32(size[:]))
		if _, err := io.ReadFull(in, doc); err != nil {
			return
		}
		answer(out, doc, readWhole)
		answer(out, doc, readFirst)
	}
}

func answer(out *bufio.Writer, doc []byte, read func([]byte) (any, error)) {
	var text []byte
	value, err := read(doc)
	if err == nil {
		text, err = json.Marshal(value)
		text = append([]byte("a"), text...)
	}
	if err != nil {
		offset := int64(-1)
		if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
			offset = syntax.Offset
		}
		text = fmt.Appendf(nil, "e%d %s", offset, err)
	}
	var size [4]byte
	binary.LittleEndian.PutUint32(size[:], uint32(len(text)))
	out.Write(size[:])
	out.Write(text)
}

func decoder(doc []byte) *json.Decoder {
	d := json.NewDecoder(bytes.NewReader(doc))
	d.UseNumber()
	return d
}

func readFirst(doc []byte) (any, error) {
	var value any
	err := decoder(doc).Decode(&value)
	return value, err
}

func readWhole(doc []byte) (any, error) {
	d := decoder(doc)
	var value any
	if err := d.Decode(&value); err != nil {
		return nil, err
	}
	token, err := d.Token()
	switch {
	case token != nil:
		return nil, fmt.Errorf("error: invalid character '%s' after top-level value", token)
	case err != nil && err != io.EOF:
		return nil, err
	}
	return value, nil
}
