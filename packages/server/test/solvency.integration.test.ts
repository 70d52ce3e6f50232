import { snapshotFindings } from "@bursar/api/solvency/verifySnapshot"
import { tenantProofFindings } from "@bursar/api/solvency/verifyTenantProof"
import { putRecord } from "@bursar/core/engine/Records"
import { StorageError } from "@bursar/core/engine/StorageError"
import { type SolvencyNode, SolvencyStore } from "@bursar/core/solvency/SolvencyStore"
import type { BlockRef } from "@bursar/core/port/Chain"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { PayoutWallet } from "@bursar/core/transaction/PayoutWallet"
import type { State } from "@bursar/memory"
import { adjust, writing } from "@bursar/testkit/fixtures/commands"
import { layerFakeNetworks, makeFakeNetwork } from "@bursar/testkit/fixtures/FakeNetwork"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Operator } from "./support/Operator.ts"
import { portsOver } from "./support/Partner.ts"
import { testKeys } from "./support/TestKeys.ts"
import { testNetwork } from "./support/TestPorts.ts"

type Solvency = State["solvency"]

const block: BlockRef = { number: 7, hash: "0xb7", parentHash: "0xb6", time: 1_700_000_000_000 }

/** What addresses hold of the native asset of ethereum. */
const held: Readonly<Record<string, bigint>> = {
  [`0x${"a1".repeat(20)}`]: 900n,
  [`0x${"b2".repeat(20)}`]: 5_000n
}

const idle = makeFakeNetwork("ethereum")

const ethereum = testNetwork("ethereum", {
  reader: {
    ...idle.reader,
    tip: Effect.succeed({ latest: { ...block, number: 9, hash: "0xb9" }, confirmed: block.number }),
    header: (number) => Effect.succeed({ ...block, number }),
    // one that may still be replaced has more
    holdings: (addresses, at = { ...block, number: 9, hash: "0xb9" }) =>
      Effect.succeed({
        block: at,
        held: addresses.map((address) => ({
          address,
          contract: null,
          units: (held[address] ?? 0n) * (at.number === block.number ? 1n : 10n)
        }))
      })
  }
})

const ports = (state: State) =>
  Layer.merge(portsOver(state), layerFakeNetworks([ethereum, testNetwork("base"), testNetwork("bsc")]))

const noAnswer = new StorageError({ doing: "test", cause: new Error("no answer came"), outcome: "unknown" })

/** Ports whose store keeps snapshots, but does not answer that it does. */
const unheard = (state: State) => {
  const real = ports(state)
  const store = Layer.effect(
    SolvencyStore,
    Effect.map(SolvencyStore, (given) =>
      SolvencyStore.of({ ...given, add: (snapshot) => Effect.andThen(given.add(snapshot), Effect.fail(noAnswer)) })
    )
  )
  return Layer.merge(real, Layer.provide(store, real))
}

const otherNodes = "The stored nodes of ETH are not those that its leaves grow."

const changedNode = (change: (node: SolvencyNode) => SolvencyNode | undefined) => (stored: Solvency, id: string) => {
  const nodes = stored.nodes.get(id) ?? new Map<string, SolvencyNode>()
  stored.nodes.set(
    id,
    new Map(
      [...nodes].flatMap(([key, node]) => {
        const changed = key === "ETH:0:0" ? change(node) : node
        return changed === undefined ? [] : [[key, changed]]
      })
    )
  )
}

/** What can be changed of a snapshot beside its leaves' amounts, each with what is said of it. */
const forgeries: ReadonlyArray<readonly [string, (stored: Solvency, id: string) => void, string]> = [
  ["the amount of a node was changed", changedNode((node) => ({ ...node, units: node.units + 1n })), otherNodes],
  ["the hash of a node was changed", changedNode((node) => ({ ...node, hash: "0a".repeat(32) })), otherNodes],
  ["a node is gone", changedNode(() => undefined), otherNodes],
  [
    "the parts of a leaf were changed",
    (stored, id) => {
      const leaves = stored.leaves.get(id) ?? []
      const changed = leaves.map((leaf) => (leaf.currency === "ETH" ? { ...leaf, held: leaf.held + 1n } : leaf))
      stored.leaves.set(id, changed)
    },
    "The parts of a leaf of ETH do not come to its amount."
  ]
]

const test = <A, E>(name: string, effect: Effect.Effect<A, E, Operator>) =>
  it.live(name, () => Effect.provide(effect, Operator.layerWith({}, ports)))

const wallet = (network: string, address: string, more: Partial<PayoutWallet> = {}): PayoutWallet => ({
  id: crypto.randomUUID(),
  network,
  role: "PAYOUT",
  address,
  seedId: "seed",
  custodied: null,
  index: 0,
  nextSequence: null,
  nextSalt: 0,
  openTransactions: 0,
  committed: [],
  createdAt: 0,
  ...more
})

const base = "/operator/v1/solvency/snapshots"

const setUp = Effect.gen(function* () {
  const { ask, operate, seeder } = yield* Operator
  const tenants = [yield* seeder.tenant(), yield* seeder.tenant(), yield* seeder.tenant()] as const
  const [one, other, third] = tenants
  const fund = (tenant: TenantId, units: bigint, currency = "ETH") => seeder.submit(tenant, adjust(units, currency))
  yield* fund(one, 600n)
  yield* fund(one, 77n, "EUR")
  yield* fund(other, 400n)
  yield* fund(third, 23n)
  // what came for nobody: of one tenant too little, which lessens that of no other
  yield* seeder.submit(one, adjust(10n, "ETH", { from: "custodian", against: "suspense" }))
  yield* seeder.submit(other, adjust(-15n, "ETH", { against: "suspense" }))
  yield* seeder.submit(other, adjust(15n, "ETH"))
  const wallets = [
    [one, wallet("ethereum", `0x${"a1".repeat(20)}`)],
    [other, wallet("ethereum", `0x${"b2".repeat(20)}`, { seedId: null, custodied: { custody: "hsm", keyId: "7" } })],
    [third, wallet("base", `0x${"c3".repeat(20)}`)]
  ] as const
  for (const [tenant, record] of wallets)
    yield* seeder.submit(
      tenant,
      writing(() => [putRecord(PayoutWallet, record)])
    )
  const keys = [yield* seeder.key(one), yield* seeder.key(other), yield* seeder.key(third)] as const
  const statement = {
    place: "bank",
    provider: "Bank of Examples",
    currency: "EUR",
    amount: "0.77",
    as_of: "2026-11-23T11:00:00Z",
    file: "statement.pdf",
    sha256: "cd".repeat(32)
  }
  const take = operate("POST", base, { body: { statements: [statement] } })
  const proofOf = (key: string, query = "") => ask("GET", `/v1/solvency${query}`, { key })
  return { take, operate, seeder, tenants, keys, proofOf, fund }
})

describe("a proof of solvency", () => {
  test(
    "counts what is owed in a currency that the server lacks by what the database is bound to say of it",
    Effect.gen(function* () {
      const { fund, operate, tenants } = yield* setUp
      const { state } = yield* Operator
      const code = "NEWD"
      yield* fund(tenants[0], 5n, code)
      const unknown = yield* operate("POST", base, { body: {} })
      assert.strictEqual(unknown.status, 503, unknown.text)
      state.knownCurrencies.set(code, { code, network: null, contract: null, decimals: 3, environment: null })
      const { body, status, text } = yield* operate("POST", base, { body: {} })
      assert.strictEqual(status, 200, text)
      assert.deepInclude(body.document.currencies, { currency: code, decimals: 3 })
    })
  )

  test(
    "counts what everybody is owed and what is there, and hides no shortfall",
    Effect.gen(function* () {
      const { operate, take, tenants } = yield* setUp
      const { body, status } = yield* take
      assert.strictEqual(status, 200, JSON.stringify(body))
      const { document, snapshot } = body
      assert.deepStrictEqual(
        document.liabilities.map(({ currency, leaves, total }: Record<string, unknown>) => [currency, leaves, total]),
        [
          ["ETH", 3, "1023"],
          ["EUR", 1, "77"]
        ]
      )
      const [eth, eur] = document.summary
      assert.deepStrictEqual(eth, {
        currency: "ETH",
        liabilities: "1023",
        proven: "900",
        unproven: "5000",
        stated: "0",
        unattributed: "15",
        difference: "-138",
        covered: false
      })
      assert.isTrue(eur.covered)
      assert.isFalse(snapshot.covered)
      assert.deepStrictEqual(
        document.unread.map(({ network, reason }: Record<string, unknown>) => [network, reason]),
        [["base", "What it holds could not be read at that moment."]]
      )
      assert.deepStrictEqual(
        document.reserves.map(({ block_hash, block_number, holdings }: Record<string, unknown>) => [
          block_number,
          block_hash,
          holdings
        ]),
        [
          [7, "0xb7", [{ currency: "ETH", contract: null, units: "900" }]],
          [7, "0xb7", [{ currency: "ETH", contract: null, units: "5000" }]]
        ]
      )
      const verified = yield* Effect.promise(() =>
        Effect.runPromise(
          snapshotFindings(document, {
            signedBy: document.signature.key,
            verifyMessage: ({ address, network }, { message, signature }) =>
              testKeys(network).verifyMessage(address, message, signature)
          })
        )
      )
      assert.deepStrictEqual(verified, [])
      assert.notInclude(JSON.stringify(document), tenants[0])
      const report = yield* operate("GET", `${base}/${snapshot.id}/verify`)
      assert.deepStrictEqual(report.body, { ok: true, digest: document.digest, audited: true, findings: [] })
      const leaves = yield* operate("GET", `${base}/${snapshot.id}/leaves`)
      assert.strictEqual(leaves.text.trim().split("\n").length, 4)
    })
  )

  test(
    "is shown to partners once it is published, to each its own leaves alone",
    Effect.gen(function* () {
      const { fund, keys, operate, proofOf, take, tenants } = yield* setUp
      const [key, other] = keys
      const { id } = (yield* take).body.snapshot
      assert.strictEqual((yield* proofOf(key)).status, 404)
      assert.strictEqual((yield* proofOf(key, `?snapshot=${id}`)).status, 404)
      // what is booked later is in no snapshot of before
      yield* fund(tenants[0], 1_000n)
      const published = yield* operate("POST", `${base}/${id}/publish`)
      assert.strictEqual(published.status, 200)
      const again = yield* operate("POST", `${base}/${id}/publish`)
      assert.strictEqual(again.body.published_at, published.body.published_at)
      for (const [at, tenantId] of tenants.entries()) {
        const { body, status } = yield* proofOf(keys[at] ?? "", "?document=true")
        assert.strictEqual(status, 200, JSON.stringify(body))
        assert.strictEqual(body.tenant_id, tenantId)
        assert.deepStrictEqual(yield* tenantProofFindings(body, { tenantId, digest: published.body.digest }), [])
        for (const stranger of tenants.filter((one) => one !== tenantId))
          assert.notInclude(JSON.stringify(body), stranger)
      }
      assert.isNull((yield* proofOf(key, `?snapshot=${id}`)).body.document)
      const mine = (yield* proofOf(key, `?snapshot=${id}&document=true`)).body
      assert.deepStrictEqual(
        mine.leaves.map(({ amount, currency, units }: Record<string, unknown>) => [currency, units, amount]),
        [
          ["ETH", "600", "0.0000000000000006"],
          ["EUR", "77", "0.77"]
        ]
      )
      const theirs = (yield* proofOf(other, "?document=true")).body
      assert.notStrictEqual(theirs.leaves[0].salt, mine.leaves[0].salt)
      // a leaf of somebody else is nobody's proof
      const taken = { ...mine, leaves: theirs.leaves }
      assert.isNotEmpty(yield* tenantProofFindings(taken, { tenantId: tenants[0] }))
      assert.isNotEmpty(yield* tenantProofFindings(theirs, { tenantId: tenants[0] }))
    })
  )

  test(
    "counts an address that serves two tenants once, with the key of whichever signs",
    Effect.gen(function* () {
      const { operate, seeder } = yield* Operator
      const [one, other] = [yield* seeder.tenant(), yield* seeder.tenant()]
      const address = `0x${"a1".repeat(20)}`
      const records = [
        [one, wallet("ethereum", address, { seedId: null, custodied: { custody: "hsm", keyId: "7" } })],
        [other, wallet("ethereum", address)]
      ] as const
      for (const [tenant, record] of records)
        yield* seeder.submit(
          tenant,
          writing(() => [putRecord(PayoutWallet, record)])
        )
      yield* seeder.submit(one, adjust(900n, "ETH"))
      const { document } = (yield* operate("POST", base, { body: {} })).body
      assert.deepStrictEqual(
        document.summary.map(({ difference, proven }: Record<string, unknown>) => [proven, difference]),
        [["900", "0"]]
      )
      assert.isNotNull(document.reserves[0].proof)
    })
  )

  test(
    "is of the tenants of one environment, and shown to no other",
    Effect.gen(function* () {
      const { operate, proofOf, seeder, take, fund } = yield* setUp
      const sandbox = yield* seeder.tenant({ kind: "SANDBOX" })
      yield* fund(sandbox, 5n)
      const key = yield* seeder.key(sandbox)
      const { id } = (yield* take).body.snapshot
      yield* operate("POST", `${base}/${id}/publish`)
      assert.strictEqual((yield* proofOf(key)).status, 404)
      assert.strictEqual((yield* proofOf(key, `?snapshot=${id}`)).status, 404)
      const own = (yield* operate("POST", base, { body: { environment: "SANDBOX" } })).body
      assert.deepStrictEqual(
        own.document.liabilities.map(({ total }: Record<string, unknown>) => total),
        ["5"]
      )
      yield* operate("POST", `${base}/${own.snapshot.id}/publish`)
      const { body } = yield* proofOf(key, "?document=true")
      assert.deepStrictEqual(yield* tenantProofFindings(body, { tenantId: sandbox }), [])
    })
  )

  test(
    "is found out where its leaves were changed after it was taken",
    Effect.gen(function* () {
      const { operate, take } = yield* setUp
      const { state } = yield* Operator
      const { id } = (yield* take).body.snapshot
      const leaves = state.solvency.leaves.get(id) ?? []
      state.solvency.leaves.set(
        id,
        leaves.map((leaf) => (leaf.units === 600n ? { ...leaf, units: 1n } : leaf))
      )
      const { body } = yield* operate("GET", `${base}/${id}/verify`)
      assert.isFalse(body.ok)
      assert.match(body.findings.join(" "), /leaves of ETH/u)
      const stored = state.solvency.snapshots.get(id)
      if (stored === undefined) throw new Error("it is stored")
      state.solvency.snapshots.set(id, {
        ...stored,
        document: stored.document.replace('"total":"1023"', '"total":"900"')
      })
      const altered = (yield* operate("GET", `${base}/${id}/verify`)).body
      assert.isFalse(altered.ok)
      assert.match(altered.findings.join(" "), /digest/u)
      assert.strictEqual((yield* operate("GET", `${base}/${crypto.randomUUID()}/verify`)).status, 404)
      assert.strictEqual((yield* operate("POST", `${base}/${crypto.randomUUID()}/publish`)).status, 404)
    })
  )

  for (const [what, forge, finding] of forgeries)
    test(
      `is found out where ${what}: tenants are answered from it`,
      Effect.gen(function* () {
        const { operate, take } = yield* setUp
        const { state } = yield* Operator
        const { id } = (yield* take).body.snapshot
        const verified = Effect.map(operate("GET", `${base}/${id}/verify`), ({ body }) => [body.ok, body.findings])
        assert.deepStrictEqual(yield* verified, [true, []])
        forge(state.solvency, id)
        assert.deepStrictEqual(yield* verified, [false, [finding]])
      })
    )

  it.live("is not said to have failed where it may be stored, and its digest is in the audit log", () =>
    Effect.gen(function* () {
      const { operate, take } = yield* setUp
      const { state } = yield* Operator
      const { body, status } = yield* take
      assert.deepStrictEqual([status, body.error.code, body.error.retryable], [500, "outcome_unknown", false])
      const [id] = state.solvency.snapshots.keys()
      const verified = yield* operate("GET", `${base}/${id}/verify`)
      assert.deepInclude(verified.body, { ok: true, audited: true })
    }).pipe(Effect.provide(Operator.layerWith({}, unheard)))
  )
})
