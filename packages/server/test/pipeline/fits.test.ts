import { OperatorApi } from "@bursar/api/OperatorApi"
import { PartnerApi } from "@bursar/api/PartnerApi"
import { fitsOf } from "@bursar/core/base/fits"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result, Schema } from "effect"
import type { HttpApiGroup } from "effect/http-api"

/** The schemas of all bodies of both contracts, by their endpoints. */
const bodies = [PartnerApi, OperatorApi].flatMap((api) =>
  Object.values(api.groups as unknown as Readonly<Record<string, HttpApiGroup.Top>>).flatMap((group) =>
    Object.values(group.endpoints).flatMap(({ identifier, payload }) =>
      [...payload.values()].flatMap(({ schemas }) =>
        // they need nothing of their surroundings
        schemas.map(
          (schema) => [`${group.identifier}.${identifier}`, schema as Schema.Codec<unknown, unknown>] as const
        )
      )
    )
  )
)

const options = { errors: "all", onExcessProperty: "error" } as const

/** Bodies with a text of a form that is not made by chance. */
const unlikely: ReadonlySet<string> = new Set(["addressProofs.prove", "reconciliation.importStatement"])

/** What somebody makes of a body who tries what passes: fields left out, added, null, of another type, at any depth. */
const tampered = (value: unknown): ReadonlyArray<unknown> => {
  const others = [null, 0, "", "x", true, [], {}, Number.MAX_VALUE]
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
    JSON.parse(`{"__proto__":{"amount":"1"},${JSON.stringify(value).slice(1)}`.replace(",}", "}")),
    ...["more", "toString", "constructor"].map((name) => ({ ...value, [name]: "more" })),
    ...fields.map(([name]) => Object.fromEntries(fields.filter(([other]) => other !== name))),
    ...fields.flatMap(([name, one]) => tampered(one).map((other) => ({ ...value, [name]: other })))
  ]
}

describe("a body that is taken as it stands", () => {
  for (const [endpoint, schema] of bodies) {
    if (unlikely.has(endpoint)) continue
    const [fits, decode] = [fitsOf(schema.ast), Schema.decodeUnknownResult(schema, options)]
    const encode = Schema.encodeUnknownSync(schema)
    it.effect.prop(
      `of ${endpoint} is what the schema reads of it, whatever is tried`,
      [schema],
      ([value]) =>
        Effect.sync(() => {
          const json: unknown = JSON.parse(JSON.stringify(encode(value)) ?? "null")
          for (const one of [json, ...tampered(json)])
            if (fits(one)) assert.deepStrictEqual(Result.getOrUndefined(decode(one)), one)
        }),
      { arbitrary: { runs: 10 } }
    )
  }

  it("is none whose record holds what the schema of its fields refuses", () => {
    const texts = fitsOf(Schema.Record(Schema.String, Schema.String).ast)
    assert.isTrue(texts({}) && texts({ a: "b" }))
    assert.isFalse(texts({ a: 1 }) || texts({ a: "b", c: null }) || texts([]) || texts(new Date(0)))
    assert.isFalse(fitsOf(Schema.Record(Schema.String.check(Schema.isMinLength(2)), Schema.String).ast)({ a: "b" }))
  })

  it("is most of the partners' bodies", () => {
    const plain = { amount: { amount: "1", currency: "EUR" } }
    const withdrawals = bodies.find(([endpoint]) => endpoint === "withdrawals.create")?.[1]
    assert.isTrue(withdrawals !== undefined && fitsOf(withdrawals.ast)(plain))
  })
})
