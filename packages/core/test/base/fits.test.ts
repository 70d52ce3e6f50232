import { fitsOf } from "@bursar/core/base/fits"
import { assert, describe, it } from "@effect/vitest"
import { Result, Schema, SchemaGetter } from "effect"
import fc from "fast-check"

type AnySchema = Schema.Codec<unknown>

/** A schema with values of it. */
interface Sample {
  readonly schema: AnySchema
  readonly values: fc.Arbitrary<unknown>
}

const sample = <A>(schema: Schema.Codec<A>, values: fc.Arbitrary<A>): Sample => ({
  schema: schema as AnySchema, // only asked whether it takes a value
  values
})

const long = Schema.String.check(Schema.isMinLength(2))
const small = Schema.Number.check(Schema.isInt32())

const leaves: ReadonlyArray<Sample> = [
  sample(Schema.String, fc.string({ maxLength: 2 })),
  sample(Schema.Number, fc.double({ noNaN: true, noDefaultInfinity: true })),
  sample(Schema.Boolean, fc.boolean()),
  sample(Schema.Null, fc.constant(null)),
  sample(Schema.Literal("x"), fc.constant("x")),
  sample(Schema.Literal(7), fc.constant(7)),
  sample(Schema.Literals(["EUR", "USD"]), fc.constantFrom("EUR", "USD")),
  sample(long, fc.string({ minLength: 2, maxLength: 4 })),
  sample(small, fc.integer({ min: -9, max: 9 }))
]

const names = fc.constantFrom("amount", "currency", "memo")

const { samples } = fc.letrec<{ samples: Sample }>((tie) => ({
  samples: fc.oneof(
    { maxDepth: 3, depthSize: "small" },
    fc.constantFrom(...leaves),
    fc
      .uniqueArray(fc.record({ name: names, isOptional: fc.boolean(), of: tie("samples") }), {
        minLength: 1,
        maxLength: 3,
        selector: ({ name }) => name
      })
      .map((fields) => {
        const entries = fields.map(
          ({ isOptional, name, of }) => [name, isOptional ? Schema.optionalKey(of.schema) : of.schema] as const
        )
        return {
          schema: Schema.Struct(Object.fromEntries(entries)) as AnySchema, // see `sample`
          values: fc.record(Object.fromEntries(fields.map(({ name, of }) => [name, of.values])), {
            requiredKeys: fields.flatMap(({ isOptional, name }) => (isOptional ? [] : [name])),
            noNullPrototype: true
          })
        }
      }),
    tie("samples").map(({ schema, values }) => sample(Schema.Array(schema), fc.array(values, { maxLength: 3 }))),
    tie("samples").map(({ schema, values }) =>
      sample(
        Schema.Record(Schema.String, schema),
        fc.dictionary(fc.constantFrom("a", "b", "toString"), values, { noNullPrototype: true })
      )
    ),
    fc.array(tie("samples"), { minLength: 1, maxLength: 3 }).map((all) => ({
      schema: Schema.Union(all.map(({ schema }) => schema)) as AnySchema, // see `sample`
      values: fc.oneof(...all.map(({ values }) => values))
    }))
  )
}))

/** What somebody makes of a value who tries what passes: fields left out, added, of another type, at any depth. */
const tampered = (value: unknown): ReadonlyArray<unknown> => {
  const others = [
    null,
    undefined,
    0,
    "",
    "x",
    true,
    [],
    {},
    [null],
    { more: "more" },
    Number.NaN,
    Number.POSITIVE_INFINITY
  ]
  if (Array.isArray(value))
    return [
      ...others,
      [...value, null],
      ...value.flatMap((one, at) => tampered(one).map((other) => value.with(at, other)))
    ]
  if (typeof value !== "object" || value === null) return others
  const fields = Object.entries(value)
  return [
    ...others,
    ...["more", "memo", "constructor"].map((name) => ({ ...value, [name]: "more" })),
    ...fields.map(([name]) => Object.fromEntries(fields.filter(([other]) => other !== name))),
    ...fields.flatMap(([name, one]) => tampered(one).map((other) => ({ ...value, [name]: other })))
  ]
}

const takenBy = (schema: Schema.Codec<unknown>, value: unknown): unknown =>
  Result.getOrElse(Schema.decodeUnknownResult(schema, { onExcessProperty: "error" })(value), () => "refused" as const)

describe("what fits a schema as it stands", () => {
  it("is what the schema takes, and stays as it is", () => {
    fc.assert(
      fc.property(
        samples.chain(({ schema, values }) => fc.tuple(fc.constant(schema), values)),
        ([schema, value]) => {
          const fits = fitsOf(schema.ast)
          assert.isTrue(fits(value), "a value that the schema was made for")
          for (const one of [value, ...tampered(value)])
            if (fits(one)) assert.deepStrictEqual(takenBy(schema, one), one)
        }
      ),
      { numRuns: 300 }
    )
  })

  it("is nothing of what is written in another form than it is held in, or has rules that are not known here", () => {
    const text = Schema.String
    const unknownHere: ReadonlyArray<readonly [string, Schema.Codec<unknown, unknown>, ReadonlyArray<unknown>]> = [
      ["a number as text", Schema.NumberFromString, ["1", 1]],
      ["a field that is a number as text", Schema.Struct({ a: Schema.NumberFromString }), [{ a: "1" }, { a: 1 }]],
      ["a pair", Schema.Tuple([text, text]), [["a", "b"]]],
      ["a pair with more", Schema.TupleWithRest(Schema.Tuple([text]), [text]), [["a", "b"]]],
      ["a list with an end of its own", Schema.TupleWithRest(Schema.Tuple([]), [text, Schema.Number]), [["a", 1]]],
      [
        "fields beside named ones",
        Schema.StructWithRest(Schema.Struct({ a: text }), [Schema.Record(text, text)]),
        [{ a: "b" }]
      ],
      ["anything that is an object", Schema.Struct({}), [{}, "x", [], { a: 1 }]],
      ["names with a rule", Schema.Record(text.check(Schema.isMinLength(2)), text), [{ ab: "c" }]],
      ["names of a pattern", Schema.Record(Schema.TemplateLiteral(["x-", text]), text), [{ "x-a": "b" }, { a: "b" }]],
      ["a text of a pattern", Schema.TemplateLiteral(["x-", text]), ["x-a"]],
      ["exactly one of several", Schema.Union([text, Schema.Literal("x")], { mode: "oneOf" }), ["x", "y"]],
      ["a moment", Schema.Date, [new Date(0)]],
      ["whatever it is", Schema.Unknown, [1]]
    ]
    for (const [what, schema, values] of unknownHere)
      for (const value of values) assert.isFalse(fitsOf(schema.ast)(value), `${what}: ${JSON.stringify(value)}`)
  })

  it("is a word with a rule of its own only where the rule is kept", () => {
    const odd = Schema.Literal(7).check(Schema.isGreaterThan(8))
    assert.isFalse(fitsOf(odd.ast)(7))
    assert.isFalse(fitsOf(Schema.Union([odd, Schema.String]).ast)(7))
  })

  it("is no word that is written as another", () => {
    const written = Schema.String.pipe(
      Schema.decodeTo(Schema.Literal("x"), {
        decode: SchemaGetter.transform(() => "x" as const),
        encode: SchemaGetter.transform(() => "y")
      })
    )
    const either = Schema.Union([written, Schema.Literal("z")])
    assert.deepStrictEqual(["x", "y", "z"].filter(fitsOf(either.ast)), ["z"])
    const named = fitsOf(
      Schema.Record(
        Schema.String.pipe(
          Schema.decodeTo(Schema.String, {
            decode: SchemaGetter.transform(String),
            encode: SchemaGetter.transform(String)
          })
        ),
        Schema.String
      ).ast
    )
    assert.isFalse(named({ a: "b" }))
  })

  it("is no number that JSON cannot hold", () => {
    const fits = fitsOf(Schema.Number.ast)
    assert.deepStrictEqual(
      [0, -1.5, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY].filter(fits),
      [0, -1.5]
    )
  })

  it("is every rule of a group that is kept", () => {
    const even = Schema.makeFilter<number>((value) => value % 2 === 0)
    const fits = fitsOf(Schema.Number.check(Schema.makeFilterGroup([even, Schema.isGreaterThan(2)])).ast)
    assert.deepStrictEqual([1, 2, 3, 4].filter(fits), [4])
  })

  it("is any JSON where the schema asks for any", () => {
    const fits = fitsOf(Schema.Json.ast)
    for (const value of [null, "x", 1, [1], { a: [null] }]) assert.isTrue(fits(value))
  })

  it("is no field that is written as undefined, and none that comes from elsewhere than the value", () => {
    const fits = fitsOf(Schema.Struct({ memo: Schema.optionalKey(Schema.String), to: Schema.String }).ast)
    assert.isTrue(fits({ to: "x" }))
    assert.isFalse(fits({ to: "x", memo: undefined }))
    assert.isFalse(fits(Object.create({ to: "x" })))
    assert.isFalse(fits(Object.assign(Object.create(null), { to: "x" })))
    class Order {
      readonly to = "x"
    }
    assert.isFalse(fits(new Order()))
  })
})
