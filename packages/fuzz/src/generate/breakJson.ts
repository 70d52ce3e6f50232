import type { Random } from "@bursar/simulation/kernel/Random"

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** JSON texts of values that nobody expects, as they are written: some have no other form. */
const oddTexts = [
  ...["null", "true", "0", "-0", "-1", "1.5", "1e400", "-1e400", "9007199254740993", "1E5", '""', '" "', "[]", "{}"],
  ...['"\\u0000"', '"a\\u0000b"', '"\\ud800"', '"\\udfff\\ud800"', '"\\u202e"', '"e\\u0301"', '"\u00e9"', '"NaN"'],
  ...['"-0"', '"1e3"', '"0x10"', '"+1"', '"1."', '".5"', '"00.1"', '"١"', '"1,000"', '"__proto__"', '"constructor"'],
  ...['{"__proto__":{"x":1}}', '{"constructor":{"prototype":{}}}', '{"toString":1}', '{"length":3}', '{"then":1}'],
  ...[
    `"${"9".repeat(80)}"`,
    `"0.${"0".repeat(60)}1"`,
    `"${"x".repeat(5_000)}"`,
    "9".repeat(400),
    "[[[[[[[[[[]]]]]]]]]]"
  ],
  ...['"2020-02-30T00:00:00Z"', '"0000-01-01T00:00:00Z"', '"9999-12-31T23:59:60Z"', '"+275760-09-13T00:00:00Z"'],
  ...['"00000000-0000-0000-0000-000000000000"', '"FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF"', '"{id}"', "2147483648"]
] as const

/** Puts a JSON text where a value stands; a mark that no text of ours holds stands for it meanwhile. */
const mark = "\u{f0000}here\u{f0000}"

type Path = ReadonlyArray<string | number>

const pathsOf = (value: unknown, at: Path = []): ReadonlyArray<Path> =>
  Array.isArray(value)
    ? value.flatMap((one, index) => [[...at, index], ...pathsOf(one, [...at, index])])
    : isObject(value)
      ? Object.entries(value).flatMap(([key, one]) => [[...at, key], ...pathsOf(one, [...at, key])])
      : []

const write = (value: unknown, [key, ...rest]: Path, content: unknown): unknown => {
  if (key === undefined) return content
  if (Array.isArray(value)) return value.map((one, index) => (index === key ? write(one, rest, content) : one))
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, one]) => {
      if (name !== key) return [[name, one]]
      const now = write(one, rest, content)
      return now === undefined ? [] : [[name, now]]
    })
  )
}

/** What is wrong with a body, and its bytes. */
export interface BrokenBody {
  readonly what: string
  readonly bytes: Uint8Array
}

type Breaker = (value: unknown, random: Random) => string | Uint8Array

const somewhere = (value: unknown, random: Random): Path => {
  const paths = pathsOf(value)
  return paths[random.below(Math.max(1, paths.length))] ?? []
}

const nested = (depth: number): string => `${"[".repeat(depth)}${"]".repeat(depth)}`

const withExtra = (value: unknown, extra: string): string => {
  const text = JSON.stringify(value)
  return text === "{}" ? `{${extra}}` : text.startsWith("{") ? `{${extra},${text.slice(1)}` : text
}

const breakers: Readonly<Record<string, Breaker>> = {
  "a value left out": (value, random) => JSON.stringify(write(value, somewhere(value, random), undefined) ?? null),
  "an odd value": (value, random) => {
    const odd = random.pick(oddTexts)
    return JSON.stringify(write(value, somewhere(value, random), mark)).replace(JSON.stringify(mark), () => odd)
  },
  "another odd value": (value, random) => {
    const odd = random.pick(oddTexts)
    return JSON.stringify(write(value, somewhere(value, random), mark)).replace(JSON.stringify(mark), () => odd)
  },
  "an unknown field": (value) => withExtra(value, '"destination":"0x0"'),
  "a field of the prototype": (value, random) =>
    withExtra(value, `"${random.pick(["__proto__", "constructor", "prototype", "hasOwnProperty", "toJSON"])}":{"a":1}`),
  "a field twice": (value, random) => {
    const [key] = somewhere(value, random)
    return withExtra(value, `${JSON.stringify(String(key))}:${random.pick(oddTexts)}`)
  },
  "deep JSON": (value, random) => withExtra(value, `"deep":${nested(random.pick([100, 5_000, 100_000]))}`),
  "a deep value": (value, random) => {
    const deep = nested(random.pick([50, 20_000]))
    return JSON.stringify(write(value, somewhere(value, random), mark)).replace(JSON.stringify(mark), () => deep)
  },
  "many values": (value, random) => withExtra(value, `"many":[${"0,".repeat(random.pick([1_000, 60_000]))}0]`),
  "a scalar": (_, random) => random.pick(oddTexts),
  "no JSON": (value, random) => JSON.stringify(value).slice(0, random.below(20)),
  "something after it": (value) => `${JSON.stringify(value)}}`,
  "two of them": (value) => `${JSON.stringify(value)}${JSON.stringify(value)}`,
  "a comment": (value) => `/* */${JSON.stringify(value)}`,
  "single quotes": (value) => JSON.stringify(value).replaceAll('"', "'"),
  "a byte order mark": (value) => `\uFEFF${JSON.stringify(value)}`,
  "white space": (value) => `\r\n\t ${JSON.stringify(value, null, 4)}\n\n`,
  "UTF-16": (value) => Buffer.from(JSON.stringify(value), "utf16le"),
  "invalid UTF-8": (value, random) => {
    const bytes = Buffer.from(JSON.stringify(value))
    const at = random.below(bytes.length)
    const bad = random.pick(["ff", "c080", "eda080", "f4908080", "e282"])
    return Buffer.concat([bytes.subarray(0, at), Buffer.from(bad, "hex"), bytes.subarray(at)])
  },
  "a NUL byte": (value, random) => {
    const bytes = Buffer.from(JSON.stringify(value))
    const at = random.below(bytes.length)
    return Buffer.concat([bytes.subarray(0, at), Uint8Array.of(0), bytes.subarray(at)])
  },
  "a byte changed": (value, random) => {
    const bytes = Buffer.from(JSON.stringify(value))
    bytes[random.below(bytes.length)] = random.below(256)
    return bytes
  },
  "a body too large": (value, random) =>
    `${JSON.stringify(value)}${" ".repeat(1_048_576 + (random.chance(500) ? 0 : -JSON.stringify(value).length))}`,
  "an empty body": () => "",
  random: (_, random) => random.bytes(random.below(200))
}

const names = Object.keys(breakers)

/** Breaks a body in one way. */
export const breakJson = (value: unknown, random: Random): BrokenBody => {
  const what = names[random.below(names.length)] ?? ""
  const broken = breakers[what]?.(value ?? {}, random) ?? ""
  return { what, bytes: typeof broken === "string" ? Buffer.from(broken) : broken }
}
