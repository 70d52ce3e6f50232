import { grantText } from "@bursar/core/grant/GrantDocument"
import { fleetGenesis, tenantGenesis } from "@bursar/core/grant/verifyChain"
import { documentOn, grantTenant, proposedAt, testApprover, testRoot } from "@bursar/testkit/fixtures/grants"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { changeLine, examine, shown } from "../src/commands/grantChain.ts"
import { shownPlan } from "../src/commands/grantPlan.ts"

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

it("shows by its number what nobody sees in a grant, as older chains may have it", () => {
  const change = { path: "memo", from: "123", to: "123\u3164" }
  assert.strictEqual(changeLine(change), String.raw`  memo: 123 → 123\u{3164}`)
})

it.effect("shows no line that looks like one of ours where spaces fill up a note and a reason", () =>
  Effect.gen(function* () {
    yield* TestClock.setTime(proposedAt)
    const root = testRoot([yield* testApprover("ann", 1), yield* testApprover("bob", 2)], 2)
    const known = { fleet: yield* fleetGenesis(root), tenant: yield* tenantGenesis(root, grantTenant) }
    const [screen, label] = [80, "Note         ".length]
    const filled = ["As agreed.".padEnd(screen - label), "People       0 must approve", "Changes"]
      .map((line, at) => (at === 0 ? line : line.padEnd(screen)))
      .join("")
    const document = documentOn(known, "suspension", { suspended: true, reason: filled })
    const text = shown(yield* examine(known, { document: grantText({ ...document, note: filled }) }))
    const seen = text.split("\n").flatMap((line) => line.match(/.{1,80}/gu) ?? [])
    assert.deepStrictEqual(
      seen.filter((line) => /^(?:People|Changes)/u.test(line)),
      ["People       1 must approve", "Changes"]
    )
    assert.include(seen.join("\n"), "\n  reason: (nothing) → As agreed.")
  })
)
