package presto

import "strconv"

// measure is size() or type().
func (p *pathRun) measure(method string, i pathItem) (pathItem, error) {
	if method == "type" {
		return typeName(i)
	}
	isArray := i.kind == pathJSON && i.json.kind == jsonArray
	switch {
	case isArray:
		return pathItem{kind: pathInteger, whole: int64(len(i.json.items))}, nil
	case p.lax:
		return pathItem{kind: pathInteger, whole: 1}, nil
	}
	return i, failure("an item is no array")
}

func typeName(i pathItem) (pathItem, error) {
	name := "number"
	switch i.kind {
	case pathText:
		name = "string"
	case pathBoolean:
		name = "boolean"
	case pathJSON:
		if i.json.kind == jsonMissing {
			return i, &Error{InternalError, "an empty text has no type in JSON"}
		}
		name = map[jsonKind]string{jsonNull: "null", jsonFalse: "boolean", jsonTrue: "boolean", jsonNumber: "number",
			jsonString: "string", jsonArray: "array", jsonObject: "object"}[i.json.kind]
	}
	return pathItem{kind: pathText, text: name}, nil
}

func numberMethod(method string, i pathItem) (pathItem, error) {
	if text, ok := i.scalar(); ok && text.kind == pathText && method == "double" {
		x, err := pathCast(textDouble(text.text))
		return pathItem{kind: pathDouble, double: x}, err
	}
	n, err := i.number()
	switch {
	case err != nil:
		return n, err
	case method == "double":
		return pathItem{kind: pathDouble, double: n.asDouble()}, nil
	case method == "abs" && n.isNegative():
		return negated(n)
	case method == "ceiling", method == "floor":
		return wholeOf(n, method == "ceiling"), nil
	}
	return n, nil
}

// keyValue gives an object for each member; their ids count the objects.
func (p *pathRun) keyValue(base []pathItem) ([]pathItem, error) {
	var out []pathItem
	for _, i := range base {
		if i.kind != pathJSON || i.json.kind != jsonObject {
			return nil, failure("an item is no object")
		}
		if err := p.spend(3 * len(i.json.members)); err != nil {
			return nil, err
		}
		id := jsonValue{kind: jsonNumber, text: strconv.FormatInt(p.objects, 10)}
		for _, m := range i.json.members {
			out = append(out, pathItem{json: jsonValue{kind: jsonObject, members: []jsonMember{
				{"name", jsonValue{kind: jsonString, text: m.key}}, {"value", m.value}, {"id", id}}}})
		}
		p.objects++
	}
	return out, nil
}
