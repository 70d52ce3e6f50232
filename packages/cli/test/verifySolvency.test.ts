import { makeSnapshot } from "@bursar/api/solvency/makeSnapshot"
import type { Reserve, SolvencySnapshot } from "@bursar/api/solvency/SolvencySnapshot"
import { presetNetworks } from "@bursar/core/money/presetNetworks"
import { adapterOf, Networks } from "@bursar/core/port/Networks"
import { ReserveProver } from "@bursar/core/port/ReserveProver"
import { Vault } from "@bursar/core/port/Vault"
import { TenantId } from "@bursar/core/tenant/Tenant"
import { muxed } from "@bursar/stellar/Address"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { verifySolvency } from "../src/assemble/verifySolvency.ts"
import { layerKeysAlone } from "./support/keysAlone.ts"

const tenantId = TenantId("00000000-0000-4000-8000-000000000001")

const knowing = { tenantId: undefined, digest: undefined, signedBy: undefined }

const commitment = {
  format: "bursar-solvency-1",
  snapshot_id: "019845e1-682f-4b02-a706-3b2422d13aec",
  service: "Bursar",
  environment: "LIVE",
  taken_at: "2026-11-23T12:00:00.000Z",
  currencies: [{ currency: "EUR", decimals: 2 }],
  liabilities: [],
  unattributed: []
} as const

/** A document with an address of each network, and of bitcoin in each form, whose keys have signed; `change` is made before it is signed. */
const makeDocument = Effect.fnUntraced(function* (
  change: (reserves: ReadonlyArray<Reserve>) => ReadonlyArray<Reserve> = (same) => same,
  environment: SolvencySnapshot["environment"] = "LIVE"
) {
  const [networks, prover, vault] = [yield* Networks, yield* ReserveProver, yield* Vault]
  const seedId = yield* vault.createSeed(tenantId)
  const owned = yield* Effect.forEach(presetNetworks.all, ({ name: network }) =>
    Effect.gen(function* () {
      const key = { _tag: "Wallet", tenantId, seedId, network, index: 0 } as const
      const { chainId, keys } = adapterOf(networks, network)
      const addresses = keys.addressesOf(yield* vault.publicKey(key))
      return addresses.map((address) => ({ key, network, chainId, address }))
    })
  )
  return yield* makeSnapshot(
    { ...commitment, environment },
    {
      statements: [],
      unread: [],
      sign: prover.signDocument,
      reserves: (claimOf) =>
        Effect.map(
          Effect.forEach(owned.flat(), ({ address, chainId, key, network }) =>
            Effect.map(prover.prove({ key, ...claimOf({ network, address }) }), (proof): Reserve => {
              const block = { block_number: 1, block_hash: "b1" }
              return { network, chain_id: chainId, address, ...block, holdings: [], proof, unproven: null }
            })
          ),
          change
        )
    }
  )
})

const findingsOf = (document: SolvencySnapshot) =>
  Effect.map(verifySolvency(JSON.stringify(document), knowing), ({ findings }) => findings)

layer(layerKeysAlone)("a document that is verified without a node and without the service's settings", (it) => {
  it.effect("has signatures of every network, each in its own form", () =>
    Effect.gen(function* () {
      const document = yield* makeDocument()
      assert.isAtLeast(document.reserves.length, presetNetworks.all.length)
      assert.deepStrictEqual(yield* findingsOf(document), [])
    })
  )

  it.effect("is refused where one signature is that of another address, of another network or in another form", () =>
    Effect.gen(function* () {
      const { reserves } = yield* makeDocument()
      for (const [at, one] of reserves.entries()) {
        const other = reserves[(at + 1) % reserves.length]?.proof?.signature ?? ""
        const forms = ["EIP-191", "TIP-191", "BIP-322", "SEP-53"] as const
        const { proof } = one
        if (proof === null) return assert.fail("each has signed")
        const lies = [
          { ...proof, signature: other },
          { ...proof, format: forms.find((form) => form !== proof.format) ?? proof.format }
        ]
        for (const lie of lies) {
          const found = yield* findingsOf(yield* makeDocument((all) => all.with(at, { ...one, proof: lie })))
          assert.lengthOf(found, 1, one.address)
          assert.include(found[0], one.address)
        }
      }
    })
  )

  it.effect("is refused where coins of a test network stand for those of a main network", () =>
    Effect.gen(function* () {
      const elsewhere = (all: ReadonlyArray<Reserve>) =>
        all.map((one) => (one.network === "ethereum" ? { ...one, chain_id: "11155111" } : one))
      const found = yield* findingsOf(yield* makeDocument(elsewhere))
      assert.lengthOf(found, 1)
      assert.match(found[0] ?? "", /^ethereum 0x\w+ is on the chain 11155111, which is another\.$/u)
      assert.deepStrictEqual(yield* findingsOf(yield* makeDocument(elsewhere, "SANDBOX")), [])
    })
  )

  it.effect(
    "is refused where coins stand under other names than their one, by which they could count several times",
    () =>
      Effect.gen(function* () {
        const { reserves } = yield* makeDocument()
        const of = (network: string) => reserves.find((one) => one.network === network) ?? assert.fail(network)
        const [stellar, ethereum, bitcoin] = [of("stellar"), of("ethereum"), of("bitcoin")]
        for (const [one, wrong] of [
          [{ ...stellar, address: muxed(stellar.address, 1n) }, /is a part of the account/u],
          [{ ...ethereum, network: "second", chain_id: "01" }, /is not written as a number/u],
          [{ ...ethereum, network: "second", chain_id: "0x1" }, /is not written as a number/u],
          [
            { ...ethereum, network: "second", chain_id: "10", address: ethereum.address.toLowerCase() },
            /one writing is/u
          ],
          [{ ...bitcoin, address: "tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx" }, /of another network/u]
        ] as const) {
          const found = yield* findingsOf(
            yield* makeDocument((all) => [...all, { ...one, proof: null, unproven: "none" }])
          )
          assert.lengthOf(found, 1, one.address)
          assert.match(found[0] ?? "", wrong)
        }
      })
  )

  it.effect("takes the place of the one that a tenant's proof lacks, and is nothing without a proof", () =>
    Effect.gen(function* () {
      const document = yield* makeDocument()
      const { commitment, digest, format, service, signature, snapshot_id, taken_at } = document
      const proof = JSON.stringify({
        ...{ format, service, snapshot_id, taken_at, digest, signature, commitment },
        tenant_id: tenantId,
        published_at: taken_at,
        leaves: [],
        document: null
      })
      const knows = { ...knowing, tenantId, digest, signedBy: signature.key }
      const found = (text: string, published?: string) =>
        Effect.map(verifySolvency(text, { ...knows, document: published }), ({ findings }) => findings)
      assert.deepStrictEqual(yield* found(proof, JSON.stringify(document)), [])
      const other = JSON.stringify(yield* makeDocument((all) => all.slice(1)))
      for (const [text, published] of [[proof], [proof, other], [proof, "{"], [proof, "{}"], [other, other]] as const)
        assert.isNotEmpty(yield* found(text, published), published)
    })
  )

  it.effect("is none where it has not its form, and that is said in a line", () =>
    Effect.gen(function* () {
      const document = yield* makeDocument()
      for (const wrong of ["", "[]", "{}", "null", JSON.stringify({ ...document, digest: 1 }), '{"tenant_id":1}']) {
        const { findings } = yield* verifySolvency(wrong, knowing)
        assert.lengthOf(findings, 1, wrong)
        assert.notInclude(findings[0], "\n")
      }
    })
  )
})
