import { planGrants } from "@bursar/core/grant/grantPlan"
import { grantText } from "@bursar/core/grant/GrantDocument"
import { fleetGenesis, tenantGenesis } from "@bursar/core/grant/verifyChain"
import { documentOn, grantTenant, proposedAt, testApprover, testRoot } from "@bursar/testkit/fixtures/grants"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { destination, world } from "../../core/test/grant/chain.ts"
import { examine, linesOfChange, shown } from "../src/commands/grantChain.ts"
import { shownPlan } from "../src/commands/grantPlan.ts"

/** The rows of a terminal that a line takes. */
const rowsOf = (line: string, screen: number, columnsOf: (sign: string) => number): ReadonlyArray<string> => {
  const rows = [""]
  let columns = 0
  for (const sign of line) {
    columns += columnsOf(sign)
    if (columns > screen) {
      rows.push("")
      columns = columnsOf(sign)
    }
    rows.push((rows.pop() ?? "") + sign)
  }
  return rows
}

const chain = "019845e1-682f-7b02-a706-3b2422d13aed"

it("shows whose chain is granted by its id, and no name that hides or imitates what is shown", () => {
  const named = (name: string) => shownPlan({ digest: "d", chains: [{ chain, name, total: 1, left: [] }] })
  assert.strictEqual(named("acme"), `acme (tenant ${chain}): 0 to grant, 1 granted already\nDigest       d`)
  for (const name of ["acme\u{1B}[8m", "acme\nDigest       e", "acme\u{202E}", "acme\u{2028}"]) {
    const shown = named(name)
    assert.strictEqual(shown.split(/[\n\u{2028}]/u).length, 2)
    assert.notMatch(shown.replaceAll("\n", ""), /\p{C}/u)
    assert.include(shown, `(tenant ${chain})`)
  }
})

it("shows a long name behind a bar, so that no filler in it begins a line that looks like ours", () => {
  const name = `${"─".repeat(50)}Digest       e`
  const lines = shownPlan({ digest: "d", chains: [{ chain, name, total: 1, left: [] }] }).split("\n")
  assert.strictEqual(lines[0], "─".repeat(36))
  assert.match(lines[1] ?? "", /^\| ─{14}Digest /u)
})

it.effect(
  "shows what else is signed of a plan, once where it is the same: the note, the proposer, and how long it is valid",
  () =>
    Effect.gen(function* () {
      const fleet = yield* fleetGenesis(testRoot([yield* testApprover("ann", 1), yield* testApprover("bob", 2)], 2))
      const planned = Effect.fnUntraced(function* (network: string, note: string) {
        const contents = [{ kind: "network" as const, values: { network, stopped: true, reason: "" } }]
        const draft = { note, by: "olga", now: proposedAt, expiresAt: proposedAt + 1_000 }
        const { grants } = yield* planGrants({ fleet }, contents, draft)
        return grants.map((grant) => ({ ...grant, approvals: [], people: new Set<string>() }))
      })
      const left = [
        ...(yield* planned("base", "As it was before.")),
        ...(yield* planned("bsc", "As it was before.")),
        ...(yield* planned("tron", "Another."))
      ]
      const lines = shownPlan({ digest: "d", chains: [{ chain: "fleet", name: "fleet", total: 3, left }] }).split("\n")
      assert.deepStrictEqual(
        lines.filter((text) => /^ {2}(?:\S+ {2}|\d)/u.test(text)),
        [
          "  Note         As it was before.",
          "  Proposed     by olga, 2026-11-23T09:00:00.000Z",
          "  Expires      2026-11-23T09:00:01.000Z",
          "  1. network base (0 of 1 have approved)",
          "  1. network bsc (0 of 1 have approved)",
          "  Note         Another.",
          "  Proposed     by olga, 2026-11-23T09:00:00.000Z",
          "  Expires      2026-11-23T09:00:01.000Z",
          "  1. network tron (0 of 1 have approved)"
        ]
      )
    })
)

it("shows by its number what nobody sees in a grant, as older chains may have it", () => {
  const change = { path: "memo", from: "123", to: "123\u3164" }
  assert.deepStrictEqual(linesOfChange(change), [String.raw`  memo: 123 → 123\u{3164}`])
})

it.effect("tells a destination without a memo from one whose memo is a word for nothing", () =>
  Effect.gen(function* () {
    yield* TestClock.setTime(proposedAt)
    const all = yield* world()
    const memoLine = Effect.fnUntraced(function* (memo: string | null) {
      const values = { ...destination("d1", "USDC_ETH"), memo }
      const text = shown(
        yield* examine(all.chain(), { document: grantText(documentOn(all.chain(), "destination", values)) })
      )
      return text.split("\n").find((line) => line.startsWith("  memo: "))
    })
    assert.strictEqual(yield* memoLine(null), "  memo: (nothing) → (null)")
    assert.strictEqual(yield* memoLine("null"), '  memo: (nothing) → "null"')
    assert.strictEqual(yield* memoLine("(nothing)"), '  memo: (nothing) → "(nothing)"')
    assert.strictEqual(yield* memoLine("1 → 2"), '  memo: (nothing) → "1 → 2"')
  })
)

it("breaks a long value behind a bar, and a word in it only where no line holds it", () => {
  const shownValue = (to: string) => linesOfChange({ path: "address", from: null, to })
  assert.deepStrictEqual(shownValue("x".repeat(49)), [`  address: (nothing) → ${"x".repeat(49)}`])
  assert.deepStrictEqual(shownValue("x".repeat(62)), ["  address: (nothing) → ", `  | ${"x".repeat(62)}`])
  assert.deepStrictEqual(shownValue(`one ${"x".repeat(100)}`), [
    `  address: (nothing) → one ${"x".repeat(45)}`,
    `  | ${"x".repeat(55)}`
  ])
})

for (const [name, filler] of [
  ["spaces", " "],
  ["a blank of music", "\u{1d159}"],
  ["a blank of hieroglyphs", "\u{13441}"],
  ["a rule", "\u2500"],
  ["a wide rule", "\uff0d"],
  ["dots", "."]
] as const)
  it.effect(`shows no line that looks like one of ours where ${name} fill up a note and a reason`, () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(proposedAt)
      const root = testRoot([yield* testApprover("ann", 1), yield* testApprover("bob", 2)], 2)
      const known = { fleet: yield* fleetGenesis(root), tenant: yield* tenantGenesis(root, grantTenant) }
      const [screen, label] = [80, "Note         ".length]
      // on any terminal: a sign may take one column or two
      for (const columns of [1, 2]) {
        const padded = (line: string, width: number) =>
          line + filler.repeat(Math.max(0, Math.ceil((width - line.length) / columns)))
        const filled = `${padded("As agreed.", screen - label)}${padded("People       0 must approve", screen)}Changes`
        const document = documentOn(known, "suspension", { suspended: true, reason: filled })
        const text = shown(yield* examine(known, { document: grantText({ ...document, note: filled }) }))
        const seen = text.split("\n").flatMap((line) => rowsOf(line, screen, (sign) => (sign <= "~" ? 1 : columns)))
        assert.deepStrictEqual(
          seen.filter((line) => /^(?:People|Changes)/u.test(line)),
          ["People       1 must approve", "Changes"]
        )
        assert.match(seen.join("\n"), /\n {2}reason: \(nothing\) → "?As /u)
      }
    })
  )
