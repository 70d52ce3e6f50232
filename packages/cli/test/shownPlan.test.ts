import { assert, it } from "@effect/vitest"
import { changeLine } from "../src/commands/grantChain.ts"
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
