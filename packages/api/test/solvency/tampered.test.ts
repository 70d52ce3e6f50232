import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import fc from "fast-check"
import type { SolvencyLeaf } from "../../src/solvency/SolvencyProof.ts"
import type { Reserve, SolvencySnapshot } from "../../src/solvency/SolvencySnapshot.ts"
import { tenantProofFindings } from "../../src/solvency/verifyTenantProof.ts"
import { anybodyFinds, auditorFinds, owedTo, publish, reserveOf, tenantFinds } from "./support/Service.ts"

const amount = fc.bigInt({ min: 1n, max: 2n ** 100n })

/** What tenants are owed, what addresses hold, and one of each. */
const service = fc
  .record({
    amounts: fc.array(amount, { minLength: 2, maxLength: 20 }),
    holdings: fc.array(amount, { minLength: 2, maxLength: 4 }),
    at: fc.nat(),
    other: fc.nat()
  })
  .map(({ amounts, at, holdings, other }) => ({
    leaves: owedTo(amounts),
    reserves: holdings.map((units, place) => reserveOf(place, units)),
    tenant: at % amounts.length,
    other: other % amounts.length,
    reserve: at % holdings.length
  }))

const check = (property: Parameters<typeof fc.assert>[0]) => fc.assert(property, { numRuns: 40 })

describe("a snapshot", () => {
  it("verifies for every tenant, for anybody and for an auditor as an honest service publishes it", () =>
    check(
      fc.asyncProperty(service, async ({ leaves, reserves }) => {
        const { document, show } = await publish(leaves, reserves)
        assert.deepStrictEqual(await anybodyFinds(document), [])
        assert.deepStrictEqual(auditorFinds(document, leaves), [])
        for (const [index, owed] of leaves.entries())
          assert.deepStrictEqual(await tenantFinds(show(index, owed), owed), [])
      })
    ))

  it("is refused by the tenant whose leaf is hidden, whatever it is shown, and by an auditor", () =>
    check(
      fc.asyncProperty(service, async ({ leaves, other, reserves, tenant }) => {
        const mine = leaves[tenant] ?? assert.fail("there is one")
        const { document, show } = await publish(leaves.toSpliced(tenant, 1), reserves)
        assert.isNotEmpty(auditorFinds(document, leaves))
        const place = other % (leaves.length - 1)
        const there = leaves.toSpliced(tenant, 1)[place] ?? assert.fail("there is one")
        // the leaf of somebody else, with as much of it said to be this tenant's as can be
        for (const lie of [mine, { ...mine, salt: there.salt }, { ...there, tenantId: mine.tenantId }, there])
          assert.isNotEmpty(await tenantFinds(show(place, lie), mine))
      })
    ))

  it("is refused by the tenant whose amount is lowered, and by an auditor", () =>
    check(
      fc.asyncProperty(service, amount, async ({ leaves, reserves, tenant }, less) => {
        const mine = leaves[tenant] ?? assert.fail("there is one")
        const lowered = { ...mine, units: mine.units > less ? mine.units - less : 0n }
        const { document, show } = await publish(leaves.with(tenant, lowered), reserves)
        assert.isNotEmpty(auditorFinds(document, leaves))
        assert.isNotEmpty(await tenantFinds(show(tenant, mine), mine))
        assert.isNotEmpty(await tenantFinds(show(tenant, lowered), mine))
      })
    ))

  it("is refused by the tenant who is left out and shown a tree of its own, with the document and without", async () => {
    const all = owedTo([5_000_000n, 7_000_000n, 9_000_000n])
    const mine = all[2] ?? assert.fail("there are three")
    const { document } = await publish(all.slice(0, 2), [reserveOf(0, 12_000_000n)])
    const { commitment, digest, signature } = document
    const own = (await publish([mine], [])).show(0, mine)
    const knows = { tenantId: mine.tenantId, digest, signedBy: signature.key }
    const find = (shown: SolvencySnapshot | null) =>
      Effect.runPromise(tenantProofFindings({ ...own, commitment, digest, signature, document: shown }, knows))
    assert.deepStrictEqual(await find(document), ["USDC_ETH: The document has another tree."])
    assert.deepStrictEqual(await find(null), [
      "The answer has no document, and nothing else ties its leaves to the digest: ask with document=true."
    ])
  })

  it("is refused by the tenant who is shown its amount beside a leaf that was lowered, or by other decimals", () =>
    check(
      fc.asyncProperty(service, amount, async ({ leaves, reserves, tenant }, less) => {
        const mine = leaves[tenant] ?? assert.fail("there is one")
        const lowered = { ...mine, units: mine.units > less ? mine.units - less : 0n }
        const { show } = await publish(leaves.with(tenant, lowered), reserves)
        const shown = (more: Partial<SolvencyLeaf>) => {
          const proof = show(tenant, lowered)
          return { ...proof, leaves: proof.leaves.map((leaf) => ({ ...leaf, ...more })) }
        }
        assert.deepStrictEqual(await tenantFinds(shown({}), lowered), [])
        const [{ amount: ofMyBooks } = assert.fail("there is one")] = show(tenant, mine).leaves
        assert.isNotEmpty(await tenantFinds(shown({ amount: ofMyBooks }), lowered))
        assert.isNotEmpty(await tenantFinds(shown({ amount: String(lowered.units), decimals: 0 }), lowered))
      })
    ))

  it("cannot be made with a leaf below zero, and an auditor who is given one refuses it", () =>
    check(
      fc.asyncProperty(service, amount, async ({ leaves, reserves, tenant }, below) => {
        const mine = leaves[tenant] ?? assert.fail("there is one")
        const negative = leaves.with(tenant, { ...mine, units: -below })
        const refused = await publish(negative, reserves).then(
          () => false,
          () => true
        )
        assert.isTrue(refused)
        const { document } = await publish(leaves, reserves)
        assert.match(auditorFinds(document, negative).join(" "), /cannot be/u)
      })
    ))

  it("is refused by anybody with a signature of another key, or of what another snapshot owes", () =>
    check(
      fc.asyncProperty(service, async ({ leaves, reserve, reserves }) => {
        const beside = (reserve + 1) % reserves.length
        const swapped = await publish(leaves, reserves, (all) =>
          all.with(reserve, { ...(all[reserve] ?? assert.fail()), proof: all[beside]?.proof ?? null })
        )
        assert.isNotEmpty(await anybodyFinds(swapped.document))
        const signature = await publish(leaves, reserves, (all) =>
          all.map((one, at): Reserve =>
            at === reserve && one.proof !== null
              ? { ...one, proof: { ...one.proof, signature: all[beside]?.proof?.signature ?? "" } }
              : one
          )
        )
        assert.isNotEmpty(await anybodyFinds(signature.document))
        const earlier = await publish(leaves.slice(1), reserves)
        const kept = await publish(leaves, reserves, (all) =>
          all.map((one, at) => ({ ...one, proof: earlier.document.reserves[at]?.proof ?? null }))
        )
        assert.isNotEmpty(await anybodyFinds(kept.document))
      })
    ))

  it("is refused by anybody where coins count twice, in whatever way", () =>
    check(
      fc.asyncProperty(service, async ({ leaves, reserve, reserves }) => {
        const one = reserves[reserve] ?? assert.fail("there is one")
        const twice = [
          [...reserves, one],
          [...reserves, { ...one, address: one.address.toLowerCase() }],
          [...reserves, { ...one, network: "mainnet" }],
          [...reserves, { ...one, holdings: [{ currency: "USDC_ETH", contract: "0xC", units: "1" }] }],
          [...reserves, { ...one, chain_id: "2" }],
          reserves.with(reserve, { ...one, holdings: [...one.holdings, ...one.holdings] })
        ]
        for (const [way, all] of twice.entries())
          assert.isNotEmpty(await anybodyFinds((await publish(leaves, all)).document), `way ${way}`)
      })
    ))
})
