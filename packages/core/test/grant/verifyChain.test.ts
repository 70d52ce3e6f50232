import type { GrantDocument } from "@bursar/core/grant/GrantDocument"
import { grantText, readGrant } from "@bursar/core/grant/GrantDocument"
import type { GrantChainBroken, GrantEntry } from "@bursar/core/grant/verifyChain"
import { verifyFleet, verifyKept, verifyTenant } from "@bursar/core/grant/verifyChain"
import { policyValues } from "@bursar/core/grant/PolicyValues"
import {
  activeSigningKeys,
  activeWallets,
  currentAuthority,
  granted,
  grantedAccountKey,
  grantedLimits,
  grantedDestination,
  grantedPolicy,
  isStopped,
  isSuspended,
  mustAdopt
} from "@bursar/core/grant/GrantState"
import { defaultPolicy, TenantId } from "@bursar/core/tenant/Tenant"
import { approvedBy, documentOn, grantTenant, proposedAt, testApprover } from "@bursar/testkit/fixtures/grants"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import fc from "fast-check"
import { destination, settled, signingKey, world } from "./chain.ts"

const two = ({ ann, bob }: Effect.Success<ReturnType<typeof world>>) => [ann, bob]

describe("a chain that holds", () => {
  it.effect("says what its grants say", () =>
    Effect.gen(function* () {
      const { chain, entries, trust } = yield* settled()
      const fleet = yield* verifyFleet(trust, entries.fleet)
      const tenant = yield* verifyTenant(trust, { tenantId: grantTenant, fleet, entries: entries.tenant })
      assert.deepStrictEqual([fleet.head, tenant.head], [chain().fleet.head, chain().tenant.head])
      assert.deepStrictEqual(grantedPolicy(tenant), defaultPolicy)
      assert.deepStrictEqual(activeSigningKeys(tenant), [signingKey])
      assert.strictEqual(activeWallets(tenant, "ethereum").length, 1)
      assert.isTrue(isSuspended(tenant))
      assert.isFalse(isStopped(fleet, "ethereum"))
      assert.isUndefined(grantedDestination(tenant, "USDC_ETH", proposedAt))
      assert.strictEqual(grantedDestination(tenant, "USDC_ETH", proposedAt + 86_400_000)?.values.id, "d1")
    })
  )

  it.effect("is verified on from where it was known", () =>
    Effect.gen(function* () {
      const { chain, entries, trust } = yield* settled()
      const { fleet } = chain()
      const first = { tenantId: grantTenant, fleet, entries: entries.tenant.slice(0, 2) }
      const known = yield* verifyTenant(trust, first)
      const whole = yield* verifyTenant(trust, { ...first, known, entries: entries.tenant.slice(2) })
      assert.deepStrictEqual(whole.head, chain().tenant.head)
      assert.strictEqual(whole.grants.toString(), chain().tenant.grants.toString())
    })
  )

  it.effect("that lost its end is known by what was remembered of it", () =>
    Effect.gen(function* () {
      const { chain, entries, trust } = yield* settled()
      const before = chain().fleet
      const cut = yield* verifyFleet(trust, entries.fleet.slice(0, -1))
      const error = yield* Effect.flip(verifyKept(null, before.head, cut.hashes[before.head.number]))
      assert.strictEqual(error.code, "cut")
      yield* verifyKept(null, cut.head, before.hashes[cut.head.number])
    })
  )
})

describe("whoever may write to the database", () => {
  /** What an attacker does to the entries of a tenant; undefined where it would change nothing. */
  const mutations: ReadonlyArray<
    readonly [
      string,
      (entries: ReadonlyArray<GrantEntry>, at: number, n: number) => ReadonlyArray<GrantEntry> | undefined
    ]
  > = [
    ["leaves one out", (all, at) => (at === all.length - 1 ? undefined : all.toSpliced(at, 1))],
    ["repeats one", (all, at) => all.toSpliced(at, 0, all[at]!)],
    ["swaps two", (all, at) => (at === all.length - 1 ? undefined : all.toSpliced(at, 2, all[at + 1]!, all[at]!))],
    [
      "changes a letter of a document",
      (all, at, n) => {
        const { document } = all[at]!
        const place = n % document.length
        const other = document[place] === "a" ? "b" : "a"
        return all.with(at, { ...all[at]!, document: document.slice(0, place) + other + document.slice(place + 1) })
      }
    ],
    [
      "adds white space to a document",
      (all, at) => all.with(at, { ...all[at]!, document: all[at]!.document.replace(",", ", ") })
    ],
    ["takes an approval away", (all, at) => all.with(at, { ...all[at]!, approvals: all[at]!.approvals.slice(1) })],
    [
      "counts an approval twice",
      (all, at) => all.with(at, { ...all[at]!, approvals: [...all[at]!.approvals, all[at]!.approvals[0]!] })
    ],
    [
      "lends an approval of another grant",
      (all, at) => all.with(at, { ...all[at]!, approvals: all[(at + 1) % all.length]!.approvals })
    ],
    [
      "changes a signature",
      (all, at, n) => {
        const [first, ...rest] = all[at]!.approvals
        const place = n % 86
        const letter = first!.signature[place] === "A" ? "Q" : "A"
        const signature = first!.signature.slice(0, place) + letter + first!.signature.slice(place + 1)
        return all.with(at, { ...all[at]!, approvals: [{ ...first!, signature }, ...rest] })
      }
    ],
    ["appends late", (all, at) => all.with(at, { ...all[at]!, recordedAt: proposedAt + 86_400_001 })]
  ]

  it.effect("cannot change a chain that holds", () =>
    Effect.gen(function* () {
      const { chain, entries, trust } = yield* settled()
      const { fleet } = chain()
      yield* Effect.promise(() =>
        fc.assert(
          fc.asyncProperty(
            fc.constantFrom(...mutations),
            fc.nat(entries.tenant.length - 1),
            fc.nat(2_000),
            async ([, mutate], at, n) => {
              const forged = mutate(entries.tenant, at, n)
              fc.pre(forged !== undefined)
              const verified = verifyTenant(trust, { tenantId: grantTenant, fleet, entries: forged })
              const error = await Effect.runPromise(Effect.flip(verified))
              assert.isAtMost(error.position, at + 2)
              assert.isAtLeast(error.position, at + 1)
            }
          ),
          { numRuns: 200 }
        )
      )
    })
  )

  it.effect("cannot put a tenant's chain under another tenant, nor under another root", () =>
    Effect.gen(function* () {
      const { ann, bob, chain, entries, trust } = yield* settled()
      const other = TenantId("019845e1-682f-4b02-a706-3b2422d13aed")
      const { fleet } = chain()
      const moved = yield* Effect.flip(verifyTenant(trust, { tenantId: other, fleet, entries: entries.tenant }))
      assert.strictEqual(moved.code, "wrong_chain")
      const root = { ...trust.root, quorum: "1" }
      const foreign = yield* Effect.flip(verifyFleet({ ...trust, root }, entries.fleet))
      assert.strictEqual(foreign.code, "wrong_previous")
      // with the tenant's name changed and all approvals made anew it still follows on another beginning
      const document: GrantDocument = { ...Result.getOrThrow(readGrant(entries.tenant[0]!.document)), tenant: other }
      const entry = yield* approvedBy(document, [ann, bob])
      const renamed = yield* Effect.flip(verifyTenant(trust, { tenantId: other, fleet, entries: [entry] }))
      assert.strictEqual(renamed.code, "wrong_previous")
    })
  )
})

describe("a grant is refused", () => {
  const refused = (
    name: string,
    code: string,
    make: (all: Effect.Success<ReturnType<typeof world>>) => Effect.Effect<GrantEntry, GrantChainBroken>,
    on: "fleet" | "tenant" = "tenant"
  ) =>
    it.effect(`${name}: ${code}`, () =>
      Effect.gen(function* () {
        const all = yield* settled()
        const entry = yield* make(all)
        const before = all.chain()
        const error = yield* Effect.flip(all.append(entry, on))
        assert.strictEqual(error.code, code)
        assert.deepStrictEqual(all.chain(), before)
      })
    )
  const next = (all: Effect.Success<ReturnType<typeof world>>) =>
    documentOn(all.chain(), "destination", destination("d2", "USDC_ETH"))

  refused("with one approval where it takes two", "quorum_missing", (all) => approvedBy(next(all), [all.ann]))
  refused("with none", "quorum_missing", (all) => approvedBy(next(all), []))
  refused("with a stranger's approval", "approval_unknown_key", (all) =>
    Effect.flatMap(testApprover("ann", 9), (stranger) => approvedBy(next(all), [all.ann, stranger]))
  )
  refused("that is approved twice by one person", "approval_twice", (all) => approvedBy(next(all), [all.ann, all.ann]))
  refused("that is on the chain of the fleet", "wrong_chain", (all) => approvedBy(next(all), two(all)), "fleet")
  refused("of a kind of the fleet", "wrong_kind", (all) =>
    approvedBy(
      {
        ...documentOn(all.chain(), "network", { network: "base", stopped: true, reason: "" }),
        ...place(all)
      } as GrantDocument,
      two(all)
    )
  )
  refused("with a number that is not the next", "wrong_number", (all) =>
    approvedBy({ ...next(all), number: "9" }, two(all))
  )
  refused("that follows on another", "wrong_previous", (all) =>
    approvedBy({ ...next(all), previous: "0".repeat(64) }, two(all))
  )
  refused("whose subject is not its values'", "wrong_subject", (all) =>
    approvedBy({ ...next(all), subject: "d1" }, two(all))
  )
  refused("that names an older grant of the fleet than the one before", "wrong_fleet", (all) => {
    const { hashes } = all.chain().fleet
    return approvedBy({ ...next(all), fleet: { number: "0", hash: hashes[0]! } }, two(all))
  })
  refused("that names a grant of the fleet that is none", "wrong_fleet", (all) =>
    approvedBy({ ...next(all), fleet: { number: "3", hash: "0".repeat(64) } }, two(all))
  )
  refused("that is too large", "oversize", (all) =>
    approvedBy(grantText({ ...next(all), note: "x".repeat(17_000) }), two(all))
  )
  refused("whose note hides a letter", "unreadable", (all) =>
    approvedBy(grantText({ ...next(all), note: "pay\u202eyap" }), two(all))
  )
  refused("with a field more", "unreadable", (all) =>
    approvedBy(grantText(next(all)).replace('"kind":', '"extra":"1","kind":'), two(all))
  )
  refused("with a number in it", "unreadable", (all) =>
    approvedBy(grantText(next(all)).replace('"number":"6"', '"number":6'), two(all))
  )
  refused("with a key twice", "not_canonical", (all) =>
    approvedBy(grantText(next(all)).replace('"kind":', '"kind":"policy","kind":'), two(all))
  )
  refused("that has stood open for too long", "values_invalid", (all) =>
    approvedBy({ ...next(all), expires_at: "2027-11-23T09:00:00.000Z" }, two(all))
  )
  refused("that is appended after it expired", "expired", (all) =>
    Effect.map(approvedBy(next(all), two(all)), (entry) => ({ ...entry, recordedAt: proposedAt + 86_400_001 }))
  )
  refused("whose destination may be used before its waiting time is over", "values_invalid", (all) =>
    approvedBy(
      documentOn(all.chain(), "destination", {
        ...destination("d2", "USDC_ETH"),
        usable_from: "2026-11-23T10:00:00.000Z"
      }),
      two(all)
    )
  )
  refused("that changes what was granted", "values_invalid", (all) =>
    approvedBy(
      documentOn(all.chain(), "destination", { ...destination("d1", "USDC_ETH"), address: "0xdead" }),
      two(all)
    )
  )
  refused("that revokes and changes at once", "values_invalid", (all) =>
    approvedBy(
      documentOn(all.chain(), "destination", { ...destination("d1", "USDC_ETH"), address: "0xdead", state: "REVOKED" }),
      two(all)
    )
  )
  refused("that revokes what nobody granted", "values_invalid", (all) =>
    approvedBy(documentOn(all.chain(), "destination", { ...destination("d9", "USDC_ETH"), state: "REVOKED" }), two(all))
  )
  refused("that changes nothing", "changes_nothing", (all) =>
    approvedBy(documentOn(all.chain(), "signing_key", signingKey), two(all))
  )
  refused("that puts back what was granted without the quorum", "quorum_missing", (all) =>
    approvedBy(documentOn(all.chain(), "policy", policyValues({ kind: "SANDBOX", policy: defaultPolicy })), [all.ann])
  )
  refused("that adopts what was adopted", "changes_nothing", (all) =>
    Effect.gen(function* () {
      yield* all.grant("adoption", {}, two(all))
      return yield* approvedBy(documentOn(all.chain(), "adoption", {}), two(all))
    })
  )
  refused("that adopts what nobody approved", "quorum_missing", (all) =>
    Effect.gen(function* () {
      yield* all.grant("network", { network: "base", stopped: true, reason: "" }, [all.ann])
      return yield* approvedBy(documentOn(all.chain(), "adoption", {}), [])
    })
  )
})

/** What makes a document stand on the tenant's chain. */
const place = (all: Effect.Success<ReturnType<typeof world>>) => {
  const { fleet, number, previous, tenant } = documentOn(
    all.chain(),
    "policy",
    policyValues({ kind: "SANDBOX", policy: defaultPolicy })
  )
  return { fleet, number, previous, tenant }
}

describe("what was granted", () => {
  it.effect("is revoked by one person, and for good", () =>
    Effect.gen(function* () {
      const all = yield* settled()
      yield* all.grant("signing_key", { ...signingKey, state: "REVOKED" }, [all.cleo])
      assert.deepStrictEqual(activeSigningKeys(all.chain().tenant), [])
      const error = yield* Effect.flip(all.grant("signing_key", signingKey, two(all)))
      assert.strictEqual(error.code, "values_invalid")
    })
  )

  it.effect("does not come back when what replaced it is revoked", () =>
    Effect.gen(function* () {
      const all = yield* settled()
      const later = proposedAt + 90_000_000
      yield* all.grant("destination", destination("d2", "USDC_ETH"), two(all))
      assert.strictEqual(grantedDestination(all.chain().tenant, "USDC_ETH", later)?.values.id, "d2")
      yield* all.grant("destination", { ...destination("d2", "USDC_ETH"), state: "REVOKED" }, [all.ann])
      assert.isUndefined(grantedDestination(all.chain().tenant, "USDC_ETH", later))
    })
  )

  it.effect("ends a suspension by two, which one has begun", () =>
    Effect.gen(function* () {
      const all = yield* settled()
      const end = { suspended: false, reason: "Over." }
      assert.strictEqual((yield* Effect.flip(all.grant("suspension", end, [all.ann]))).code, "quorum_missing")
      yield* all.grant("suspension", end, two(all))
      assert.isFalse(isSuspended(all.chain().tenant))
    })
  )

  it.effect("issues addresses from the newest account, and from none where that one was revoked", () =>
    Effect.gen(function* () {
      const all = yield* settled()
      const account = (seed: string) =>
        ({ family: "evm", seed_id: seed, account_key: `xpub-${seed}`, state: "ACTIVE" }) as const
      assert.isUndefined(grantedAccountKey(all.chain().tenant, "evm"))
      yield* all.grant("issuing_account", account("s1"), two(all))
      yield* all.grant("issuing_account", account("s2"), two(all))
      assert.strictEqual(grantedAccountKey(all.chain().tenant, "evm")?.account_key, "xpub-s2")
      yield* all.grant("issuing_account", account("s3"), two(all))
      yield* all.grant("issuing_account", { ...account("s1"), state: "REVOKED" }, [all.bob])
      yield* all.grant("issuing_account", { ...account("s2"), state: "REVOKED" }, [all.bob])
      assert.strictEqual(grantedAccountKey(all.chain().tenant, "evm")?.account_key, "xpub-s3")
      yield* all.grant("issuing_account", account("s4"), two(all))
      yield* all.grant("issuing_account", { ...account("s4"), state: "REVOKED" }, [all.bob])
      // not s3 again: one person would have chosen it
      assert.isUndefined(grantedAccountKey(all.chain().tenant, "evm"))
      assert.isUndefined(grantedAccountKey(all.chain().tenant, "tron"))
    })
  )

  it.effect("limits a currency by one, and lifts the limit by two", () =>
    Effect.gen(function* () {
      const all = yield* settled()
      const limit = (per_day: string | null) =>
        ({ currency: "USDT_ETH", per_payment: "5000000", per_hour: null, per_day }) as const
      yield* all.grant("currency_limit", limit("9000000"), [all.ann])
      assert.deepStrictEqual(grantedLimits(all.chain().tenant), [limit("9000000")])
      for (const more of ["10000000", null])
        assert.strictEqual(
          (yield* Effect.flip(all.grant("currency_limit", limit(more), [all.ann]))).code,
          "quorum_missing"
        )
      yield* all.grant("currency_limit", limit(null), two(all))
      assert.deepStrictEqual(grantedLimits(all.chain().tenant), [limit(null)])
    })
  )

  it.effect("books an adjustment once", () =>
    Effect.gen(function* () {
      const all = yield* settled()
      const values = { id: "a1", currency: "EUR", units: "100", against: "bank", reason: "A float." }
      assert.strictEqual((yield* Effect.flip(all.grant("adjustment", values, [all.ann]))).code, "quorum_missing")
      yield* all.grant("adjustment", values, two(all))
      const again = yield* Effect.flip(all.grant("adjustment", { ...values, units: "200" }, two(all)))
      assert.strictEqual(again.code, "values_invalid")
    })
  )
})

describe("approvers", () => {
  it.effect("are added by the quorum and taken away by one, and their old keys count for nothing after", () =>
    Effect.gen(function* () {
      const all = yield* settled()
      const { ann, bob, cleo } = all
      const dan = yield* testApprover("dan", 4)
      const set = (people: ReadonlyArray<typeof ann>) => ({
        approvers: people.map(({ approver }) => approver),
        quorum: "2",
        quorums: {}
      })
      assert.strictEqual(
        (yield* Effect.flip(all.grant("approvers", set([ann, bob, cleo, dan]), [ann]))).code,
        "quorum_missing"
      )
      yield* all.grant("approvers", set([ann, bob, cleo, dan]), [ann, bob])
      yield* all.grant("adjustment", { id: "a", currency: "EUR", units: "1", against: "bank", reason: "r" }, [dan, bob])
      yield* all.grant("approvers", set([bob, cleo, dan]), [cleo])
      assert.isTrue(mustAdopt(all.chain().fleet, all.chain().tenant))
      // the old key, on the newest grant of the fleet
      const late = { id: "b", currency: "EUR", units: "1", against: "bank", reason: "r" }
      assert.strictEqual((yield* Effect.flip(all.grant("adjustment", late, [ann, bob]))).code, "approval_unknown_key")
      yield* all.grant("adoption", {}, [bob, dan])
      assert.isFalse(mustAdopt(all.chain().fleet, all.chain().tenant))
      // the old key, on the grant of the fleet that still knew it
      const { fleet, tenant } = all.chain()
      const old = { number: "3", hash: fleet.hashes[3]! }
      const forged = { ...documentOn({ fleet, tenant }, "adjustment", late), fleet: old }
      const error = yield* Effect.flip(all.append(yield* approvedBy(forged, [ann, bob]), "tenant"))
      assert.strictEqual(error.code, "wrong_fleet")
      // and it never comes back, under whatever name
      const again = yield* Effect.flip(
        all.grant("approvers", set([bob, cleo, dan, { ...ann, approver: { ...ann.approver, id: "eve" } }]), [bob, dan])
      )
      assert.strictEqual(again.code, "values_invalid")
    })
  )

  it.effect("with two keys count once", () =>
    Effect.gen(function* () {
      const all = yield* world()
      const second = yield* testApprover("ann", 7)
      const ann = { ...all.ann.approver, keys: [...all.ann.approver.keys, ...second.approver.keys] }
      const set = { approvers: [ann, all.bob.approver, all.cleo.approver], quorum: "2", quorums: {} }
      yield* all.grant("approvers", set, two(all))
      const error = yield* Effect.flip(
        all.grant("policy", policyValues({ kind: "SANDBOX", policy: defaultPolicy }), [all.ann, second])
      )
      assert.strictEqual(error.code, "approval_twice")
      yield* all.grant("policy", policyValues({ kind: "SANDBOX", policy: defaultPolicy }), [second, all.cleo])
    })
  )

  it.effect("cannot be made too few for a quorum, and no one alone makes it unreachable", () =>
    Effect.gen(function* () {
      const all = yield* world()
      const approvers = [all.ann.approver, all.bob.approver, all.cleo.approver]
      const few = { approvers: approvers.slice(0, 1), quorum: "2", quorums: {} }
      assert.strictEqual((yield* Effect.flip(all.grant("approvers", few, [all.ann]))).code, "values_invalid")
      const high = { approvers, quorum: "3", quorums: {} }
      assert.strictEqual((yield* Effect.flip(all.grant("approvers", high, [all.ann]))).code, "quorum_missing")
      yield* all.grant("approvers", high, two(all))
      assert.strictEqual(currentAuthority(all.chain().fleet).set.quorum, "3")
    })
  )

  it.effect("are changed by as many as any kind takes: fewer could first change what the others take", () =>
    Effect.gen(function* () {
      const all = yield* world()
      const approvers = [all.ann.approver, all.bob.approver, all.cleo.approver]
      for (const uneven of [
        { approvers, quorum: "1", quorums: { policy: "2" } },
        { approvers, quorum: "2", quorums: { approvers: "1" } }
      ]) {
        yield* all.grant("approvers", uneven, two(all))
        const alone = { approvers, quorum: "1", quorums: {} }
        assert.strictEqual((yield* Effect.flip(all.grant("approvers", alone, [all.ann]))).code, "quorum_missing")
      }
    })
  )

  it.effect("have a quorum of their own for a kind", () =>
    Effect.gen(function* () {
      const all = yield* world()
      const approvers = [all.ann.approver, all.bob.approver, all.cleo.approver]
      yield* all.grant("approvers", { approvers, quorum: "1", quorums: { policy: "3" } }, two(all))
      assert.strictEqual(
        (yield* Effect.flip(all.grant("policy", policyValues({ kind: "SANDBOX", policy: defaultPolicy }), two(all))))
          .code,
        "quorum_missing"
      )
      yield* all.grant("signing_key", signingKey, [all.ann])
      assert.isDefined(granted(all.chain().tenant, "signing_key", `AAAAAAAA|${signingKey.keyid}`))
    })
  )
})
