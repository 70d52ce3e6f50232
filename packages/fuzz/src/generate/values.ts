import type { Random } from "@bursar/simulation/kernel/Random"
import type { Contract, JsonSchema } from "../contract/Contract.ts"
import type { Source } from "./Asked.ts"
import { kindOfName } from "./kinds.ts"
import { likelyQuery } from "./likely.ts"
import { likelyForOperators } from "./likelyForOperators.ts"

const likelyValues: typeof likelyQuery = { ...likelyQuery, ...likelyForOperators }

const digits = (random: Random, length: number): string =>
  Array.from({ length }, () => String(random.below(10))).join("")

const words = [
  "a",
  "SEPA",
  "EUR",
  "é",
  "e\u0301",
  "Ω",
  "名",
  "🦊",
  "‮",
  " x ",
  "null",
  "0",
  "-1",
  "%00",
  "__proto__"
] as const

const textOf = (schema: JsonSchema, { random }: Source): string => {
  const { maxLength = 64, minLength = 0 } = schema
  const length = random.chance(100) ? maxLength : random.chance(100) ? minLength : minLength + random.below(12)
  let text = ""
  while (text.length < length) text += random.pick(words)
  return text.slice(0, Math.max(minLength, Math.min(length, maxLength)))
}

/** A UUID of no record. */
export const strangeId = (random: Random): string => {
  const hex = Buffer.from(random.bytes(16)).toString("hex")
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-7${hex.slice(13, 16)}-9${hex.slice(17, 20)}-${hex.slice(20)}`
}

const instant = (random: Random): string =>
  new Date(1_500_000_000_000 + random.below(600_000_000) * 1_000).toISOString()

const stringOf = (schema: JsonSchema, source: Source, name: string): string => {
  const { random } = source
  const kind = kindOfName[name]
  const likely = Object.hasOwn(likelyValues, name) ? likelyValues[name] : undefined
  if (schema.format === "uuid") return kind === undefined ? (likely?.(source) ?? strangeId(random)) : source.id(kind)
  if (schema.format === "date-time") return instant(random)
  if (likely !== undefined && random.chance(700)) return likely(source)
  if (schema.pattern !== undefined) return `${random.below(1_000)}.${digits(random, 1 + random.below(6))}`
  return textOf(schema, source)
}

const numberOf = ({ maximum = 1_000, minimum = 0 }: JsonSchema, { random }: Source): number =>
  random.chance(100)
    ? maximum
    : random.chance(100)
      ? minimum
      : minimum + random.below(Math.min(1_000, maximum - minimum) + 1)

/** A value that a schema takes. */
export const valueOf = (contract: Contract, given: JsonSchema, source: Source, name = ""): unknown => {
  const { random } = source
  const schema = contract.resolve(given)
  if (schema.enum !== undefined) return schema.enum[random.below(schema.enum.length)]
  if (schema.anyOf !== undefined) {
    const one = schema.anyOf[random.below(schema.anyOf.length)]
    return one === undefined ? null : valueOf(contract, one, source, name)
  }
  switch (schema.type) {
    case "null":
      return null
    case "boolean":
      return random.chance(500)
    case "integer":
    case "number":
      return numberOf(schema, source)
    case "array": {
      const { items = {}, maxItems = 5, minItems = 0 } = schema
      const length = Math.min(maxItems, minItems + random.below(4))
      return Array.from({ length }, () => valueOf(contract, items, source, name))
    }
    case "object": {
      const required = new Set(schema.required)
      return Object.fromEntries(
        Object.entries(schema.properties ?? {}).flatMap(([key, one]) =>
          required.has(key) || random.chance(500) ? [[key, valueOf(contract, one, source, key)]] : []
        )
      )
    }
    default:
      return stringOf(schema, source, name)
  }
}
