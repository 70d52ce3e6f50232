import { type Destination, shownDestinations } from "@bursar/core/destination/Destination"
import { destinationStateByGrants } from "@bursar/core/grant/destinationByGrants"
import type { Ruling } from "@bursar/core/grant/Ruling"
import { toIso } from "@bursar/core/base/Timestamp"
import { approverSetProblem, isStricter, type Passkey } from "@bursar/core/grant/ApproverSet"
import { toBase64Url } from "@bursar/core/base/base64Url"
import { fromHex } from "@bursar/core/base/hex"
import { directionOf } from "@bursar/core/grant/direction"
import { grantDiff } from "@bursar/core/grant/grantDiff"
import { type GrantDocument, proposalLifetimeMsMax } from "@bursar/core/grant/GrantDocument"
import { GrantStore } from "@bursar/core/grant/GrantStore"
import { Grants, grantPageMax, layer as layerGrants } from "@bursar/core/grant/Grants"
import { activeWallets, grantedAccountKey, grantedDestination } from "@bursar/core/grant/GrantState"
import { keyOfValues, maySign } from "@bursar/core/grant/keysByGrants"
import { policyValues } from "@bursar/core/grant/PolicyValues"
import { grantedReview, reviewValues } from "@bursar/core/grant/reviewByGrants"
import { of } from "@bursar/core/money/Amount"
import { newOperation } from "@bursar/core/operation/newOperation"
import type { Operation } from "@bursar/core/operation/Operation"
import type { View } from "@bursar/core/engine/View"
import { tenantByGrants } from "@bursar/core/grant/tenantByGrants"
import { GrantChainBroken } from "@bursar/core/grant/verifyChain"
import { defaultPolicy } from "@bursar/core/tenant/Tenant"
import {
  approvedBy,
  documentOn,
  grantTenant,
  proposedAt,
  testApprover,
  testRoot
} from "@bursar/testkit/fixtures/grants"
import { tenantRecord } from "@bursar/testkit/fixtures/tenants"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { apiKey, destination, signingKey, world } from "./chain.ts"

const hourMs = 3_600_000

describe("what stands granted", () => {
  it.effect("of destinations is the one that may be used last, by the order of the chain where two begin at once", () =>
    Effect.gen(function* () {
      const all = yield* world()
      const two = [all.ann, all.bob]
      const from = (id: string, hours: number, currency = "USDC_ETH") => ({
        ...destination(id, currency),
        usable_from: toIso(proposedAt + hours * hourMs)
      })
      const stands = (hours: number, currency = "USDC_ETH") =>
        grantedDestination(all.chain().tenant, currency, proposedAt + hours * hourMs)?.values.id
      yield* all.grant("destination", from("d1", 48), two)
      yield* all.grant("destination", from("d2", 24), two)
      yield* all.grant("destination", from("e1", 24, "ETH"), two)
      assert.deepStrictEqual(
        [23, 24, 47, 48].map((hours) => stands(hours)),
        [undefined, "d2", "d2", "d1"]
      )
      assert.strictEqual(stands(48, "ETH"), "e1")
      assert.isUndefined(stands(48, "USDT_ETH"))
      yield* all.grant("destination", from("d0", 48), two)
      assert.strictEqual(stands(48), "d0", "of two that begin at once the later grant")
      yield* all.grant("destination", { ...from("d0", 48), state: "REVOKED" }, [all.cleo])
      assert.isUndefined(stands(48), "none takes the place of one that was revoked")
      assert.strictEqual(stands(47), "d2")
    })
  )

  it.effect(
    "of a destination that was rejected within its waiting time ends the one before, and nobody is told otherwise",
    () =>
      Effect.gen(function* () {
        const all = yield* world()
        const two = [all.ann, all.bob]
        const at = (hours: number) => proposedAt + hours * hourMs
        const granted = (id: string, hours: number) => ({
          ...destination(id, "USDC_ETH"),
          usable_from: toIso(at(hours))
        })
        const row = (id: string, hours: number, rejectedAt: number | null): Destination => ({
          id,
          currency: "USDC_ETH",
          network: "ethereum",
          address: "0x71C7656EC7ab88b098defB751B7401B5f6d8976F",
          memo: null,
          label: "Treasury",
          proposedBy: "olga",
          verifiedBy: "grant:1",
          verifiedAt: at(hours) - 24 * hourMs,
          usableFrom: at(hours),
          rejectedAt,
          rejectedReason: null,
          createdAt: at(hours) - 24 * hourMs
        })
        yield* all.grant("destination", granted("old", 24), two)
        yield* all.grant("destination", granted("mistaken", 72), two)
        const [old, mistaken] = [row("old", 24, null), row("mistaken", 72, at(49))]
        const rows = [old, mistaken]
        const stateBy = (ruling: Ruling, hours: number) =>
          destinationStateByGrants(ruling, old, { all: rows, now: at(hours) })
        const told = (hours: number) =>
          shownDestinations(rows, at(hours), (one) =>
            destinationStateByGrants(all.chain(), one, { all: rows, now: at(hours) })
          ).map(({ id }) => id)
        // also before anybody has signed the revocation
        for (const signed of [false, true]) {
          if (signed) yield* all.grant("destination", { ...granted("mistaken", 72), state: "REVOKED" }, [all.cleo])
          for (const hours of [24, 71, 72, 1_000])
            assert.strictEqual(stateBy(all.chain(), hours), hours < 72 ? "RECEIVING" : "REPLACED", `${signed} ${hours}`)
          assert.deepStrictEqual([told(71), told(72)], [["old"], ["mistaken"]])
        }
        assert.strictEqual(stateBy(undefined, 1_000), "RECEIVING", "where rows decide, it goes on")
        yield* all.grant("destination", { ...granted("old", 24), state: "REVOKED" }, [all.cleo])
        assert.strictEqual(stateBy(all.chain(), 24), "REJECTED", "whatever its row says")
      })
  )

  it.effect("of wallets are those of the network that were not revoked, of accounts the newest of the family", () =>
    Effect.gen(function* () {
      const all = yield* world()
      const two = [all.ann, all.bob]
      const wallet = { network: "ethereum", role: "PAYOUT", address: "0x1", state: "ACTIVE" } as const
      yield* all.grant("payout_wallet", wallet, two)
      yield* all.grant("payout_wallet", { ...wallet, network: "base", address: "0x2" }, two)
      yield* all.grant("payout_wallet", { ...wallet, role: "CHANNEL", address: "0x3" }, two)
      yield* all.grant("payout_wallet", { ...wallet, role: "CHANNEL", address: "0x3", state: "REVOKED" }, [all.cleo])
      const addresses = (network: string) => activeWallets(all.chain().tenant, network).map(({ address }) => address)
      assert.deepStrictEqual([addresses("ethereum"), addresses("base"), addresses("tron")], [["0x1"], ["0x2"], []])
      const account = (key: string, family = "evm") =>
        ({ family, seed_id: `seed-${key}`, account_key: key, state: "ACTIVE" }) as const
      const key = (family = "evm") => grantedAccountKey(all.chain().tenant, family)?.account_key
      assert.isUndefined(key())
      yield* all.grant("issuing_account", account("z"), two)
      yield* all.grant("issuing_account", account("a"), two)
      yield* all.grant("issuing_account", account("t", "tron"), two)
      assert.deepStrictEqual([key(), key("tron"), key("bitcoin")], ["a", "t", undefined])
      yield* all.grant("issuing_account", { ...account("a"), state: "REVOKED" }, [all.cleo])
      assert.isUndefined(key())
    })
  )
})

describe("a process that goes by grants", () => {
  it.effect("reads what is new alone, page by page, and remembers it", () =>
    Effect.gen(function* () {
      const all = yield* world()
      const calls: Array<readonly [string | null, number]> = []
      // a store that gives its pages one by one: what is beyond them is not looked for
      const store = GrantStore.of({
        after: (chain, number, limit) =>
          Effect.sync(() => {
            calls.push([chain, number])
            assert.strictEqual(limit, grantPageMax)
            return all.entries[chain === null ? "fleet" : "tenant"]
              .slice(number, number + limit)
              .map((entry, at) => ({ ...entry, number: number + at + 1, hash: "", proposalId: null }))
          }),
        ends: Effect.succeed([]),
        proposals: () => Effect.succeed([]),
        proposal: () => Effect.succeed(undefined)
      })
      const grants = yield* Effect.provide(
        Grants,
        layerGrants(all.trust).pipe(Layer.provide(Layer.succeed(GrantStore, store)))
      )
      const look = Effect.map(grants.stateOf(grantTenant), ({ tenant }) => {
        const read = calls.splice(0).filter(([chain]) => chain !== null)
        return [tenant.head.number, read.map(([, number]) => number)]
      })
      const two = [all.ann, all.bob]
      assert.deepStrictEqual(yield* look, [0, [0]])
      for (let many = 0; many < 3; many += 1)
        yield* all.grant("signing_key", { ...signingKey, keyid: `key-${many}` }, two)
      assert.deepStrictEqual(yield* look, [3, [0]])
      assert.deepStrictEqual(yield* look, [3, [3]])
      yield* all.grant("signing_key", signingKey, two)
      assert.deepStrictEqual(yield* look, [4, [3]])
      assert.deepStrictEqual(yield* look, [4, [4]])
    })
  )
})

describe("a key of a partner", () => {
  it.effect("may sign where it is granted as it stands, and no other may once a policy is granted", () =>
    Effect.gen(function* () {
      const all = yield* world()
      const two = [all.ann, all.bob]
      const key = {
        tenantId: grantTenant,
        apiKeyId: signingKey.api_key_id,
        keyid: signingKey.keyid,
        publicKey: signingKey.public_key,
        createdAt: 0,
        revokedAt: null
      }
      assert.isTrue(maySign(undefined, key), "rows decide")
      assert.isTrue(maySign(all.chain(), key), "and so they do before a policy is granted")
      const broken = new GrantChainBroken({ tenantId: grantTenant, position: 1, code: "cut", reason: "it was cut" })
      assert.isFalse(maySign(broken, key))
      yield* all.grant("policy", policyValues({ kind: "LIVE", policy: defaultPolicy }), two)
      assert.isFalse(maySign(all.chain(), key))
      yield* all.grant("signing_key", signingKey, two)
      assert.isTrue(maySign(all.chain(), key))
      for (const other of [{ apiKeyId: "BBBBBBBB" }, { keyid: "other" }, { publicKey: "A".repeat(43) }])
        assert.isFalse(maySign(all.chain(), { ...key, ...other }), JSON.stringify(other))
      const people = [all.bob, all.cleo].map(({ approver }) => approver)
      yield* all.grant("approvers", { approvers: people, quorum: "2", quorums: {} }, [all.cleo])
      assert.isFalse(maySign(all.chain(), key), "nobody has adopted the chain")
    })
  )

  it("is what its grant says, until when it says", () => {
    assert.deepInclude(keyOfValues(apiKey), { id: apiKey.id, hash: apiKey.hash, expiresAt: null })
    const expiring = { ...apiKey, expires_at: toIso(proposedAt) }
    assert.strictEqual(keyOfValues(expiring).expiresAt, proposedAt)
  })
})

describe("the row of a tenant", () => {
  it("is gone by as it stands where rows decide, and where the chains do not hold", () => {
    const tenant = tenantRecord(proposedAt)
    const broken = new GrantChainBroken({ tenantId: grantTenant, position: 1, code: "cut", reason: "it was cut" })
    for (const ruling of [undefined, broken])
      assert.deepStrictEqual(tenantByGrants(ruling, tenant), { tenant, objection: undefined })
  })

  it.effect("keeps all that it has lowered where a part of it is what no grant can say, and nothing leaves", () =>
    Effect.gen(function* () {
      const all = yield* world()
      const agreed = {
        ...defaultPolicy,
        ipAllowlist: null,
        payoutLimitUsd: "10",
        payoutMinimums: { EUR: "1", ETH: "1" }
      }
      yield* all.grant("policy", policyValues({ kind: "SANDBOX", policy: agreed }), [all.ann, all.bob])
      const by = (policy: object) => {
        const row = { ...tenantRecord(proposedAt), kind: "SANDBOX" as const, policy: { ...agreed, ...policy } }
        return tenantByGrants(all.chain(), row)
      }
      const lowered = { payoutsEnabled: false, signaturesRequired: ["transfers"], payoutDailyLimitUsd: "7" } as const
      const ranges = Array.from({ length: 201 }, (_, at) => `10.0.0.${at}`)
      const off = ["tron", ...Array.from({ length: 100 }, (_, at) => `network-${at}`)]
      for (const [unsayable, left] of [
        [{ ipAllowlist: ranges }, { ipAllowlist: ranges }],
        [{ ipAllowlist: ["10.0.0.1", ""] }, { ipAllowlist: ["10.0.0.1"] }],
        [{ payoutsOffOn: off }, { payoutsOffOn: off }],
        [{ payoutLimitUsd: "0.0000000000000000001" }, { payoutLimitUsd: "10" }],
        [{ payoutLimitUsd: "as much as there is" }, { payoutLimitUsd: "10" }],
        [{ payoutMinimums: { EUR: "1e9", ETH: "2" } }, { payoutMinimums: { EUR: "1", ETH: "2" } }]
      ] as const) {
        const { objection, tenant } = by({ ...lowered, ...unsayable })
        assert.deepInclude<object>(tenant.policy, { ...lowered, ...left }, JSON.stringify(unsayable))
        assert.strictEqual(objection, "its settings say what no grant can say")
      }
      assert.isUndefined(by(lowered).objection)
    })
  )
})

describe("what a grant changes, for people", () => {
  it("names the members of lists by what they are, in the order of the paths", () => {
    const from = {
      b: [{ id: "x", v: "1" }, { credential_id: "c", v: "1" }, { public_key: "p", v: "1" }, { v: "1" }, "word"],
      a: [],
      gone: "1",
      same: "1",
      absent: undefined
    }
    const to = {
      a: ["word"],
      b: [{ public_key: "p", v: "2" }, { id: "x", v: "2" }, { credential_id: "c", v: "2" }, { v: "2" }],
      same: "1"
    }
    assert.deepStrictEqual(grantDiff(from, to), [
      { path: "a", from: "[]", to: null },
      { path: "a[word]", from: null, to: "word" },
      { path: "b[3].v", from: "1", to: "2" },
      { path: "b[c].v", from: "1", to: "2" },
      { path: "b[p].v", from: "1", to: "2" },
      { path: "b[word]", from: "word", to: null },
      { path: "b[x].v", from: "1", to: "2" },
      { path: "gone", from: "1", to: null }
    ])
  })
})

describe("what a grant does to what may be lost", () => {
  const policy = (more: Partial<ReturnType<typeof policyValues>>) =>
    directionOf("policy", policyValues({ kind: "LIVE", policy: defaultPolicy }), {
      ...policyValues({ kind: "LIVE", policy: defaultPolicy }),
      ...more
    })

  it("is by decimals and not by texts", () => {
    const from = policyValues({ kind: "LIVE", policy: { ...defaultPolicy, payoutLimitUsd: "9.5" } })
    for (const [to, direction] of [
      ["9.5", "changes_nothing"],
      ["9.50", "changes_nothing"],
      ["10", "raises"],
      ["9.51", "raises"],
      ["9.49", "lowers"],
      ["9", "lowers"],
      [null, "raises"]
    ] as const)
      assert.strictEqual(directionOf("policy", from, { ...from, payout_limit_usd: to }), direction, String(to))
  })

  it("raises where both are done at once, and changes nothing where nothing is", () => {
    assert.strictEqual(policy({}), "changes_nothing")
    assert.strictEqual(policy({ payouts_enabled: false }), "lowers")
    assert.strictEqual(policy({ payouts_enabled: false, payout_review_usd: null }), "raises")
    assert.strictEqual(directionOf("adoption", {}, {}), "changes_nothing")
    const review = { operation_id: "o" } as never // nothing of it is looked at
    assert.strictEqual(directionOf("review", review, review), "raises")
    const key = { ...signingKey, state: "REVOKED" } as const
    assert.strictEqual(directionOf("signing_key", signingKey, key), "lowers")
    assert.strictEqual(directionOf("signing_key", key, signingKey), "raises")
    assert.strictEqual(directionOf("signing_key", key, key), "changes_nothing")
  })

  it.effect("is not said by the order in which quorums are written", () =>
    Effect.gen(function* () {
      const [ann, bob] = [yield* testApprover("ann", 1), yield* testApprover("bob", 2)]
      const set = (quorums: Readonly<Record<string, string>>) => ({ ...testRoot([ann, bob], 2), quorums })
      const [one, other] = [set({ review: "1", adjustment: "2" }), set({ adjustment: "2", review: "1" })]
      assert.strictEqual(directionOf("approvers", one, other), "changes_nothing")
      assert.strictEqual(directionOf("approvers", one, set({ adjustment: "1", review: "2" })), "raises")
      assert.isFalse(isStricter(one, other))
      assert.isTrue(isStricter(set({ review: "1" }), set({ review: "2" })))
      assert.isTrue(isStricter(set({ review: "1" }), set({})), "2 count for it again")
      assert.isFalse(isStricter(set({}), set({ review: "1" })))
    })
  )
})

describe("a set of approvers", () => {
  it.effect("names everybody and every key once, in its one form, and asks for what they can reach", () =>
    Effect.gen(function* () {
      const [ann, bob] = [yield* testApprover("ann", 1), yield* testApprover("bob", 2)]
      const cose = (x: string, head = "a5010203262001215820", middle = "225820") =>
        toBase64Url(fromHex(`${head}${x.repeat(32)}${middle}${"cd".repeat(32)}`))
      const passkey = (credential: string, public_key: string): Passkey => ({
        type: "passkey",
        credential_id: credential.repeat(16),
        public_key
      })
      const withKeys = (...keys: ReadonlyArray<Passkey>) => ({
        ...testRoot([ann, bob], 2),
        approvers: [{ ...ann.approver, keys: [...ann.approver.keys, ...keys] }, bob.approver]
      })
      const right = withKeys(passkey("A", cose("ab")), passkey("B", cose("ef")))
      assert.isUndefined(approverSetProblem(right))
      const people = testRoot([ann, bob], 2)
      for (const [wrong, why] of [
        [withKeys(passkey("A", cose("ab")), passkey("A", cose("ef"))), /stands there twice/u],
        [withKeys(passkey("A", cose("ab")), passkey("B", cose("ab"))), /stands there twice/u],
        [withKeys(passkey("A", cose("ab", "a5010203262001215821"))), /not written as/u],
        [withKeys(passkey("A", cose("ab", "b5010203262001215820"))), /not written as/u],
        [withKeys(passkey("A", cose("ab", undefined, "225821"))), /not written as/u],
        [withKeys(passkey("A", cose("ab", undefined, "235820"))), /not written as/u],
        [withKeys(passkey("A", "!")), /not written as/u],
        [{ ...people, approvers: [ann.approver, { ...bob.approver, id: "ann" }] }, /ann is named twice/u],
        [{ ...people, quorum: "3" }, /above the number/u],
        [{ ...people, quorums: { review: "3" } }, /above the number/u],
        [{ ...people, quorum: "0" }, /at least 1/u],
        [{ ...people, quorums: { review: "0" } }, /at least 1/u]
      ] as const)
        assert.match(approverSetProblem(wrong) ?? "", why)
    })
  )
})

describe("an operation as a grant says it", () => {
  const operationId = "019845e1-682f-7b02-a706-3b2422d13aec"
  const view = {
    now: 0,
    newId: () => operationId,
    tenant: { id: grantTenant, policy: defaultPolicy }
  } as unknown as View // all of it that is taken
  const operationOf = (more: Partial<Operation>): Operation => ({
    ...newOperation(view, { kind: "WITHDRAWAL", status: "ACCEPTED", amount: of(5n, "USDC_BASE"), details: {} }),
    ...more
  })
  const paid = { name: "Ana", iban: "PT1" }
  const said = (more: Partial<Operation>) => {
    const { receiver, terms } = reviewValues(operationOf(more))
    return { receiver, terms }
  }

  it("has everything by which somebody is paid, and nothing of what is empty", () => {
    const { operation_id: id, ...values } = reviewValues(operationOf({ network: "base", provider: "fake" }))
    assert.strictEqual(id, operationId)
    assert.deepStrictEqual(values, {
      ...{ product: "WITHDRAWAL", units: "5", currency: "USDC_BASE", network: "base", provider: "fake" },
      ...{ receiver: {}, terms: {} }
    })
    const destinationOf = { address: "0xa", memo: "", memo_type: null }
    assert.deepStrictEqual(said({ details: { destination: destinationOf } }).receiver, { address: "0xa" })
    const full = { rail: "SEPA", to_currency: "EUR", quote_id: "q", provider_customer_id: "c" }
    assert.deepStrictEqual(said({ kind: "OFF_RAMP", details: { ...full, payee: paid } }), {
      receiver: paid,
      terms: full
    })
  })

  it("says for whom it is where it has a customer", () => {
    assert.deepStrictEqual(said({ customerId: "c", actsFor: "CUSTOMER" }).terms, {
      customer_id: "c",
      acts_for: "CUSTOMER"
    })
    assert.deepStrictEqual(said({ customerId: null, actsFor: "TENANT" }).terms, {})
  })

  it("hides no receiver behind another, where a row has two", () => {
    const details = { destination: { address: "0xa", memo: null }, payee: paid } as Operation["details"] // no command writes both
    assert.deepStrictEqual(said({ details }).receiver, { address: "0xa", "payee.name": "Ana", "payee.iban": "PT1" })
  })

  it.effect("leaves by the newest grant that says it as it is, and by none that says otherwise", () =>
    Effect.gen(function* () {
      const all = yield* world()
      const operation = operationOf({ details: { destination: { address: "0xa", memo: null } } })
      const found = (one = operation) => grantedReview(all.chain().tenant, one)?.number
      assert.isUndefined(found())
      yield* all.grant("review", reviewValues(operation), [all.ann, all.bob])
      assert.strictEqual(found(), 1)
      assert.isUndefined(found({ ...operation, amount: of(6n, "USDC_BASE") }))
      assert.isUndefined(found({ ...operation, id: grantTenant }))
    })
  )
})

describe("a grant of a tenant", () => {
  it.effect("names the grant of the fleet by which it is judged, and the fleet's names none", () =>
    Effect.gen(function* () {
      const all = yield* world()
      const two = [all.ann, all.bob]
      const codeOf = Effect.fnUntraced(function* (document: GrantDocument, on: "fleet" | "tenant") {
        return (yield* Effect.flip(all.append(yield* approvedBy(document, two), on))).code
      })
      const own = documentOn(all.chain(), "signing_key", signingKey)
      assert.strictEqual(yield* codeOf({ ...own, fleet: null }, "tenant"), "wrong_fleet")
      const stop = documentOn(all.chain(), "network", { network: "base", stopped: true, reason: "" })
      const { head } = all.chain().fleet
      const fleet = { number: String(head.number), hash: head.hash }
      assert.strictEqual(yield* codeOf({ ...stop, fleet }, "fleet"), "wrong_fleet")
      yield* all.append(yield* approvedBy(own, two), "tenant")
    })
  )

  it.effect("lives for a month at most, and not at all where it ends before it begins", () =>
    Effect.gen(function* () {
      const all = yield* world()
      const two = [all.ann, all.bob]
      const own = documentOn(all.chain(), "signing_key", signingKey)
      const lasting = (ms: number) =>
        Effect.flatMap(approvedBy({ ...own, expires_at: toIso(proposedAt + ms) }, two), (entry) =>
          // it was recorded at once
          all.append({ ...entry, recordedAt: proposedAt }, "tenant")
        )
      for (const ms of [0, -1, proposalLifetimeMsMax + 1])
        assert.strictEqual((yield* Effect.flip(lasting(ms))).code, "values_invalid", String(ms))
      yield* lasting(proposalLifetimeMsMax)
    })
  )
})
