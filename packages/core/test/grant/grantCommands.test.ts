import type { Approval } from "@bursar/core/grant/Approval"
import { fleetTenantId, GrantProposal } from "@bursar/core/grant/Grant"
import {
  appendGrant,
  approveGrant,
  chainTenant,
  draftGrant,
  type KnownChain,
  onChain,
  proposeGrant,
  rejectGrant
} from "@bursar/core/grant/grantCommands"
import {
  type GrantKind,
  grantText,
  type GrantValues,
  type KindAndValues,
  fleetKinds
} from "@bursar/core/grant/GrantDocument"
import { grantHash } from "@bursar/core/grant/grantHash"
import { Grants, layer as layerGrants } from "@bursar/core/grant/Grants"
import { activeSigningKeys, currentAuthority, mustAdopt } from "@bursar/core/grant/GrantState"
import { verifiedPeople } from "@bursar/core/grant/verifyChain"
import { toIso } from "@bursar/core/base/Timestamp"
import { Destination } from "@bursar/core/destination/Destination"
import { putRecord } from "@bursar/core/engine/Records"
import { Storage } from "@bursar/core/engine/Storage"
import { policyValues } from "@bursar/core/grant/PolicyValues"
import type { Command } from "@bursar/core/engine/Command"
import { Refusal } from "@bursar/core/base/Refusal"
import { lowerTenantPolicy } from "@bursar/core/granting/grantRequired"
import { Queries } from "@bursar/core/store/Queries"
import { defaultPolicy, type TenantId } from "@bursar/core/tenant/Tenant"
import * as Memory from "@bursar/memory"
import { proposedAt, type TestApprover, testApprover, testRoot, testTrust } from "@bursar/testkit/fixtures/grants"
import { contextAt } from "@bursar/testkit/fixtures/commands"
import { newTenant } from "@bursar/testkit/fixtures/tenants"
import { assert, describe, it } from "@effect/vitest"
import { Effect, type Exit, Layer, Result } from "effect"
import { destination, signingKey } from "./chain.ts"

const now = proposedAt

/** A service with three approvers and a tenant, over one memory. */
const world = Effect.gen(function* () {
  const [ann, bob, cleo] = yield* Effect.all([testApprover("ann", 1), testApprover("bob", 2), testApprover("cleo", 3)])
  const trust = testTrust(testRoot([ann, bob, cleo], 2))
  const grants = yield* Effect.provide(Grants, layerGrants(trust))
  const { id } = yield* newTenant()

  const submit = Effect.fnUntraced(function* <A>(tenantId: TenantId, command: Command<A>, at = now) {
    const [exit] = yield* (yield* Storage).commit(tenantId, [command], contextAt(at))
    if (exit === undefined) return yield* Effect.die("no reply")
    return yield* exit as Exit.Exit<A, Refusal> // the reply to the only command
  })

  const chainOf = (kind: GrantKind): Effect.Effect<KnownChain> =>
    Effect.orDie(fleetKinds.has(kind) ? Effect.map(grants.fleet, (fleet) => ({ fleet })) : grants.stateOf(id))

  const draft = Effect.fnUntraced(function* <K extends GrantKind>(kind: K, values: GrantValues<K>) {
    const chain = yield* chainOf(kind)
    const content = { kind, values } as KindAndValues // values are of that kind
    const document = draftGrant(chain, { content, note: "", by: "olga", now, expiresAt: now + 1_000 })
    return { chain, hashed: { document, hash: yield* grantHash(grantText(document)) } }
  })

  const propose = Effect.fnUntraced(function* <K extends GrantKind>(kind: K, values: GrantValues<K>) {
    const { chain, hashed } = yield* draft(kind, values)
    const proposal = yield* submit(chainTenant(chain), proposeGrant(chain, hashed))
    return { proposal, hashed, kind, tenantId: chainTenant(chain) }
  })

  type Proposed = Effect.Success<ReturnType<typeof propose>>

  const approval = Effect.fnUntraced(function* (hash: string, by: TestApprover) {
    return { person: by.approver.id, approval: yield* by.sign(hash) }
  })

  const approve = Effect.fnUntraced(function* (
    { hashed, kind, proposal, tenantId }: Proposed,
    by: TestApprover,
    had: ReadonlyArray<{ readonly person: string; readonly approval: Approval }> = [],
    at = now
  ) {
    const chain = yield* chainOf(kind)
    const given = {
      proposalId: proposal.id,
      hashed,
      verified: had,
      approval: yield* approval(hashed.hash, by),
      by: "olga"
    }
    return yield* submit(tenantId, approveGrant(chain, given), at)
  })

  /** Approves a proposal by two who always may. */
  const approveAll = Effect.fnUntraced(function* (proposed: Proposed) {
    const one = yield* approve(proposed, bob)
    if (one.state === "OPEN") yield* approve(proposed, cleo, one.approvals)
  })

  return { ann, bob, cleo, trust, grants, id, submit, chainOf, draft, propose, approval, approve, approveAll }
})

const test = (name: string, body: (all: Effect.Success<typeof world>) => Effect.Effect<void, unknown, Memory_>) =>
  it.effect(name, () => Effect.flatMap(world, body).pipe(Effect.provide(Layer.fresh(Memory.layer))))

type Memory_ = Layer.Success<typeof Memory.layer>

const code = (effect: Effect.Effect<unknown, unknown, Memory_>) =>
  Effect.map(Effect.flip(effect), (error) => (error as Refusal).code) // a command fails with nothing else here

describe("a grant", () => {
  test("holds once enough people have approved the proposal", (all) =>
    Effect.gen(function* () {
      const proposed = yield* all.propose("signing_key", signingKey)
      assert.deepStrictEqual(activeSigningKeys((yield* all.grants.stateOf(all.id)).tenant), [])
      const one = yield* all.approve(proposed, all.ann)
      assert.deepStrictEqual([one.state, one.approvals.length], ["OPEN", 1])
      const two = yield* all.approve(proposed, all.cleo, one.approvals)
      assert.deepStrictEqual([two.state, two.decidedBy], ["GRANTED", "olga"])
      const { tenant } = yield* all.grants.stateOf(all.id)
      assert.deepStrictEqual(activeSigningKeys(tenant), [signingKey])
    }))

  test("of the fleet holds on the fleet's chain", (all) =>
    Effect.gen(function* () {
      const proposed = yield* all.propose("network", { network: "base", stopped: true, reason: "" })
      assert.strictEqual(proposed.tenantId, fleetTenantId)
      const { state } = yield* all.approve(proposed, all.ann)
      assert.strictEqual(state, "GRANTED")
      assert.strictEqual((yield* all.grants.fleet).head.number, 1)
    }))

  test("is approved once by a person", (all) =>
    Effect.gen(function* () {
      const proposed = yield* all.propose("signing_key", signingKey)
      const one = yield* all.approve(proposed, all.ann)
      assert.strictEqual(yield* code(all.approve(proposed, all.ann, one.approvals)), "state_conflict")
    }))

  test("that another approved meanwhile is prepared anew", (all) =>
    Effect.gen(function* () {
      const proposed = yield* all.propose("signing_key", signingKey)
      yield* all.approve(proposed, all.ann)
      assert.strictEqual(yield* code(all.approve(proposed, all.bob)), "stale")
    }))

  test("is not approved for another document than the one that was hashed", (all) =>
    Effect.gen(function* () {
      const proposed = yield* all.propose("signing_key", signingKey)
      const other = yield* all.draft("suspension", { suspended: true, reason: "" })
      assert.strictEqual(yield* code(all.approve({ ...proposed, hashed: other.hashed }, all.ann)), "stale")
    }))

  test("that expired, was rejected or is not there is not approved", (all) =>
    Effect.gen(function* () {
      const proposed = yield* all.propose("signing_key", signingKey)
      assert.strictEqual(yield* code(all.approve(proposed, all.ann, [], now + 1_000)), "state_conflict")
      yield* all.submit(all.id, rejectGrant(proposed.proposal.id, { by: "olga", reason: "No." }), now + 1_001)
      const again = rejectGrant(proposed.proposal.id, { by: "olga", reason: "No." })
      assert.strictEqual(yield* code(all.submit(all.id, again)), "state_conflict")
      assert.strictEqual(yield* code(all.approve(proposed, all.ann)), "state_conflict")
      const missing = { ...proposed, proposal: { ...proposed.proposal, id: crypto.randomUUID() } }
      assert.strictEqual(yield* code(all.approve(missing, all.ann)), "not_found")
    }))

  test("that came meanwhile keeps an operator from raising alone what was free until then, and from lowering nothing", (all) =>
    Effect.gen(function* () {
      yield* all.submit(all.id, {
        name: "RewriteStatus",
        reads: [],
        decide: ({ tenant }) =>
          Result.succeed({ changes: [{ _tag: "TenantPut", tenant: { ...tenant, status: "ONBOARDING" } }], reply: null })
      })
      const chain = yield* all.chainOf("policy")
      const limit = (payoutLimitUsd: string) =>
        onChain(chain, {
          before: lowerTenantPolicy({ payoutLimitUsd }, undefined),
          after: lowerTenantPolicy({ payoutLimitUsd }, "unreadable")
        })
      assert.strictEqual((yield* all.submit(all.id, limit("90000"))).policy.payoutLimitUsd, "90000")
      yield* all.approveAll(yield* all.propose("policy", policyValues({ kind: "LIVE", policy: defaultPolicy })))
      assert.strictEqual(yield* code(all.submit(all.id, limit("90001"))), "grant_required")
      assert.strictEqual((yield* all.submit(all.id, limit("7"))).policy.payoutLimitUsd, "7")
    }))

  test("proposed on a chain that went on is not approved, and not proposed from what is old", (all) =>
    Effect.gen(function* () {
      const old = yield* all.draft("suspension", { suspended: true, reason: "" })
      const first = yield* all.propose("signing_key", signingKey)
      const second = yield* all.propose("suspension", { suspended: true, reason: "" })
      const one = yield* all.approve(first, all.ann)
      yield* all.approve(first, all.bob, one.approvals)
      assert.strictEqual(yield* code(all.approve(second, all.ann)), "state_conflict")
      assert.strictEqual(yield* code(all.submit(all.id, proposeGrant(old.chain, old.hashed))), "stale")
    }))

  test("is proposed once at a time for its subject, and only where it could hold", (all) =>
    Effect.gen(function* () {
      const { proposal } = yield* all.propose("signing_key", signingKey)
      const { code: refused, message } = (yield* Effect.flip(all.propose("signing_key", signingKey))) as Refusal // as in `code`
      assert.strictEqual(refused, "state_conflict")
      // whoever is refused learns which one to approve or to reject
      assert.include(message, proposal.id)
      const revoked = { ...signingKey, api_key_id: "BBBBBBBB", state: "REVOKED" as const }
      assert.strictEqual(yield* code(all.propose("signing_key", revoked)), "invalid_request")
    }))

  test("proposed before the approvers changed is not approved after", (all) =>
    Effect.gen(function* () {
      const proposed = yield* all.propose("signing_key", signingKey)
      const approvers = [all.bob.approver, all.cleo.approver]
      const change = yield* all.propose("approvers", { approvers, quorum: "2", quorums: {} })
      yield* all.approve(change, all.cleo)
      assert.strictEqual(yield* code(all.approve(proposed, all.bob)), "state_conflict")
    }))
})

describe("a proposal", () => {
  test("is not made where it has expired, and what has expired or is of another subject is in nobody's way", (all) =>
    Effect.gen(function* () {
      const old = yield* all.draft("signing_key", signingKey)
      const propose = (at: number) => all.submit(all.id, proposeGrant(old.chain, old.hashed), at)
      assert.strictEqual(yield* code(propose(now + 1_000)), "invalid_request")
      yield* propose(now + 999)
      assert.strictEqual(yield* code(propose(now + 999)), "state_conflict")
      yield* all.propose("signing_key", { ...signingKey, keyid: "other" })
      yield* all.propose("suspension", { suspended: true, reason: "" })
      yield* all.propose("policy", policyValues({ kind: "SANDBOX", policy: defaultPolicy }))
      const { chain } = old
      const content = { kind: "signing_key", values: signingKey } as const
      const document = draftGrant(chain, { content, note: "", by: "olga", now: now + 500, expiresAt: now + 9_000 })
      const later = proposeGrant(chain, { document, hash: yield* grantHash(grantText(document)) })
      assert.strictEqual(yield* code(all.submit(all.id, later, now + 999)), "state_conflict")
      yield* all.submit(all.id, later, now + 1_000)
    }))

  test("keeps no other out once the approvers have changed, for nobody can approve it any more", (all) =>
    Effect.gen(function* () {
      yield* all.propose("suspension", { suspended: true, reason: "" })
      const approvers = [all.ann, all.bob].map(({ approver }) => approver)
      const fewer = yield* all.propose("approvers", { approvers, quorum: "2", quorums: {} })
      yield* all.approve(fewer, all.ann)
      const { proposal } = yield* all.propose("suspension", { suspended: true, reason: "" })
      assert.strictEqual(proposal.state, "OPEN")
    }))

  test("is one of a hundred at most that are open and could hold", (all) =>
    Effect.gen(function* () {
      const suspension = yield* all.propose("suspension", { suspended: true, reason: "" })
      const { proposal } = suspension
      const others = (count: number): Command<null> => ({
        name: "Put",
        reads: [],
        decide: () =>
          Result.succeed({
            changes: Array.from({ length: count }, (_, at) => putRecord(GrantProposal, { ...proposal, id: `p${at}` })),
            reply: null
          })
      })
      yield* all.submit(all.id, others(98))
      yield* all.propose("signing_key", { ...signingKey, keyid: "other" })
      assert.strictEqual(yield* code(all.propose("signing_key", signingKey)), "state_conflict")
      // those that nobody can approve any more keep no other out
      yield* all.approve(suspension, all.ann)
      yield* all.propose("signing_key", signingKey)
    }))

  test("of what stands at an older place of the chain, or cannot be read, is about nothing that is proposed now", (all) =>
    Effect.gen(function* () {
      const { proposal } = yield* all.propose("suspension", { suspended: true, reason: "" })
      yield* all.approveAll(yield* all.propose("signing_key", signingKey))
      yield* all.propose("suspension", { suspended: true, reason: "" })
      const put = (document: string): Command<null> => ({
        name: "Put",
        reads: [],
        decide: () => Result.succeed({ changes: [putRecord(GrantProposal, { ...proposal, document })], reply: null })
      })
      yield* all.submit(all.id, put("{}"))
      yield* all.propose("policy", policyValues({ kind: "SANDBOX", policy: defaultPolicy }))
    }))

  test("is rejected once, with who said so and why; what is not there is not", (all) =>
    Effect.gen(function* () {
      const { proposal } = yield* all.propose("signing_key", signingKey)
      const reject = (id: string) => all.submit(all.id, rejectGrant(id, { by: "otto", reason: "No." }))
      assert.strictEqual(yield* code(reject(crypto.randomUUID())), "not_found")
      assert.deepInclude(yield* reject(proposal.id), { state: "REJECTED", decidedBy: "otto", reason: "No." })
      yield* all.propose("signing_key", signingKey)
    }))
})

describe("what a grant changes beside its chain", () => {
  const effect = (refused: boolean): Command<null> => ({
    name: "Effect",
    reads: [],
    decide: () =>
      refused
        ? Result.fail(new Refusal({ code: "not_found", message: "It is gone." }))
        : Result.succeed({ changes: [putRecord(Destination, row)], reply: null })
  })
  const row: Destination = {
    ...{ id: "d1", currency: "USDC_ETH", network: "ethereum", address: "0x01", memo: null, label: "Treasury" },
    ...{ proposedBy: "olga", verifiedBy: "otto", verifiedAt: now, usableFrom: now },
    ...{ rejectedAt: null, rejectedReason: null, createdAt: now }
  }

  test("is carried out with it, and what cannot be is neither proposed nor granted", (all) =>
    Effect.gen(function* () {
      const stands = Effect.flatMap(Queries, (queries) => queries.record(all.id, Destination, row.id))
      const { chain, hashed } = yield* all.draft("suspension", { suspended: true, reason: "" })
      const { proposal, ...rest } = yield* all.propose("suspension", { suspended: true, reason: "" })
      const approve = (carried: Command<null>) =>
        Effect.flatMap(all.approval(rest.hashed.hash, all.ann), (approval) =>
          all.submit(
            all.id,
            approveGrant(chain, {
              ...{ proposalId: proposal.id, hashed: rest.hashed, verified: [], approval, by: "olga" },
              effect: carried
            })
          )
        )
      yield* all.submit(all.id, rejectGrant(proposal.id, { by: "otto", reason: "No." }))
      const again = (carried: Command<null>) => all.submit(all.id, proposeGrant(chain, hashed, carried))
      assert.strictEqual(yield* code(again(effect(true))), "state_conflict")
      const made = yield* again(effect(false))
      assert.isUndefined(yield* stands, "a proposal changes nothing")
      const given = { proposalId: made.id, hashed, verified: [], by: "olga" }
      const approval = yield* all.approval(hashed.hash, all.ann)
      const grant = (carried: Command<null>) =>
        all.submit(all.id, approveGrant(chain, { ...given, approval, effect: carried }))
      assert.strictEqual(yield* code(grant(effect(true))), "state_conflict")
      assert.strictEqual((yield* all.grants.stateOf(all.id)).tenant.head.number, 0)
      assert.strictEqual((yield* grant(effect(false))).state, "GRANTED")
      assert.deepStrictEqual(yield* stands, row)
      assert.strictEqual(yield* code(approve(effect(false))), "stale", "the chain went on")
    }))
})

describe("a document that is appended", () => {
  const appending = (all: Effect.Success<typeof world>, by: ReadonlyArray<TestApprover>, at = now) =>
    Effect.gen(function* () {
      const { chain, hashed } = yield* all.draft("signing_key", signingKey)
      const verified = yield* Effect.forEach(by, (one) => all.approval(hashed.hash, one))
      return yield* all.submit(all.id, appendGrant(chain, { hashed, verified }), at)
    })

  test("takes as many people as a proposal, each once, before it expires", (all) =>
    Effect.gen(function* () {
      for (const by of [[], [all.ann], [all.ann, all.ann], [all.ann, all.bob, all.ann]])
        assert.strictEqual(yield* code(appending(all, by)), "invalid_request", String(by.length))
      assert.strictEqual(yield* code(appending(all, [all.ann, all.bob], now + 1_000)), "invalid_request")
      const grant = yield* appending(all, [all.ann, all.bob], now + 999)
      assert.lengthOf(grant.approvals, 2)
      assert.deepInclude(grant, { number: 1, proposalId: null, recordedAt: now + 999 })
      assert.deepStrictEqual(activeSigningKeys((yield* all.grants.stateOf(all.id)).tenant), [signingKey])
      assert.strictEqual(yield* code(appending(all, [all.ann, all.bob])), "invalid_request", "it changes nothing")
    }))
})

describe("a grant that brings its approvals along", () => {
  const hourMs = 3_600_000
  const id = "6f1d3f0e-6a0c-4b52-9d0f-8a3c2f4b5d6e"
  const other = { ...destination(id, "USDC_ETH"), usable_from: toIso(now + hourMs) }

  /** Appends what was proposed at a time, as its author says, with the approvals of two people. Destinations wait for a day. */
  const appendAt = (all: Effect.Success<typeof world>, at: number, values: GrantValues<"destination"> = other) =>
    Effect.gen(function* () {
      const chain = yield* all.chainOf("destination")
      const content: KindAndValues = { kind: "destination", values }
      const document = draftGrant(chain, { content, note: "", by: "olga", now: at, expiresAt: at + 30 * 24 * hourMs })
      const hash = yield* grantHash(grantText(document))
      const verified = [yield* all.approval(hash, all.bob), yield* all.approval(hash, all.cleo)]
      return yield* all.submit(all.id, appendGrant(chain, { hashed: { document, hash }, verified }))
    })

  const withPolicy = (all: Effect.Success<typeof world>) =>
    Effect.flatMap(all.propose("policy", policyValues({ kind: "SANDBOX", policy: defaultPolicy })), all.approveAll)

  const message = (effect: Effect.Effect<unknown, unknown, Memory_>) =>
    Effect.map(Effect.flip(effect), (error) => (error as Refusal).message) // a command fails with nothing else here

  test("shortens no waiting time, whatever it says of when it was proposed", (all) =>
    Effect.gen(function* () {
      yield* withPolicy(all)
      assert.include(yield* message(appendAt(all, now - 25 * hourMs)), `from ${toIso(now + 24 * hourMs)} on`)
      yield* appendAt(all, now - 25 * hourMs, { ...other, usable_from: toIso(now + 24 * hourMs) })
    }))

  test("names a destination that is here for long, whose waiting time began then", (all) =>
    Effect.gen(function* () {
      yield* withPolicy(all)
      const { currency, address, memo, network } = other
      const row = {
        ...{ id, currency, network, address, memo, label: "Treasury", proposedBy: "olga", verifiedBy: "otto" },
        ...{ verifiedAt: now, usableFrom: now, rejectedAt: null, rejectedReason: null, createdAt: now - 25 * hourMs }
      }
      yield* all.submit(all.id, {
        name: "Stand",
        reads: [],
        decide: () => Result.succeed({ changes: [putRecord(Destination, row)], reply: undefined })
      })
      assert.include(
        yield* message(appendAt(all, now - 25 * hourMs, { ...other, address: "0x01" })),
        "the destination may be used"
      )
      yield* appendAt(all, now - 25 * hourMs)
    }))

  test("is not proposed in the future", (all) =>
    Effect.gen(function* () {
      const later = { ...other, usable_from: toIso(now + 9 * 24 * hourMs) }
      assert.include(yield* message(appendAt(all, now + 2 * 60_000, later)), "in the future")
      yield* appendAt(all, now + 30_000, later)
    }))
})

describe("commands that reach the storage in one batch", () => {
  const hourMs = 3_600_000

  /** Commits commands together, as the writer does with what arrives at once. */
  const together = (tenantId: TenantId, commands: ReadonlyArray<Command<unknown>>) =>
    Effect.gen(function* () {
      const exits = yield* (yield* Storage).commit(tenantId, commands, contextAt(now))
      return yield* Effect.forEach(exits, (exit) =>
        Effect.map(Effect.result(exit as Exit.Exit<unknown, Refusal>), (result) =>
          Result.isSuccess(result) ? "done" : result.failure.code
        )
      )
    })

  test("approve a proposal one after the other: two people who saw none of each other do not make a quorum", (all) =>
    Effect.gen(function* () {
      const { hashed, proposal, tenantId } = yield* all.propose("signing_key", signingKey)
      const chain = yield* all.chainOf("signing_key")
      const of = (by: TestApprover) =>
        Effect.map(all.approval(hashed.hash, by), (approval) =>
          approveGrant(chain, { proposalId: proposal.id, hashed, verified: [], approval, by: "olga" })
        )
      const commands = [yield* of(all.bob), yield* of(all.cleo), yield* of(all.bob)]
      assert.deepStrictEqual(yield* together(tenantId, commands), ["done", "stale", "stale"])
      assert.deepStrictEqual(activeSigningKeys((yield* all.grants.stateOf(all.id)).tenant), [])
    }))

  test("append one grant at a place of the chain, and approve no proposal that was rejected before", (all) =>
    Effect.gen(function* () {
      const { hashed, proposal, tenantId } = yield* all.propose("signing_key", signingKey)
      const chain = yield* all.chainOf("signing_key")
      const content: KindAndValues = { kind: "suspension", values: { suspended: true, reason: "" } }
      const document = draftGrant(chain, { content, note: "", by: "olga", now, expiresAt: now + hourMs })
      const hash = yield* grantHash(grantText(document))
      const append = appendGrant(chain, {
        hashed: { document, hash },
        verified: [yield* all.approval(hash, all.bob)]
      })
      const approve = approveGrant(chain, {
        proposalId: proposal.id,
        hashed,
        verified: [],
        approval: yield* all.approval(hashed.hash, all.bob),
        by: "olga"
      })
      const reject = rejectGrant(proposal.id, { by: "otto", reason: "No." })
      const outcomes = yield* together(tenantId, [append, append, approve, reject, approve])
      assert.deepStrictEqual(outcomes, ["done", "stale", "stale", "done", "stale"])
    }))
})

describe("an adoption", () => {
  test("is proposed and approved like any grant, by the largest quorum, and only where there is something new", (all) =>
    Effect.gen(function* () {
      yield* all.approveAll(yield* all.propose("signing_key", signingKey))
      assert.strictEqual(yield* code(all.propose("adoption", {})), "invalid_request")
      const approvers = [all.bob.approver, all.cleo.approver]
      const removal = yield* all.propose("approvers", { approvers, quorum: "1", quorums: { adjustment: "2" } })
      yield* all.approveAll(removal)
      assert.isTrue(mustAdopt((yield* all.grants.stateOf(all.id)).fleet, (yield* all.grants.stateOf(all.id)).tenant))
      const adoption = yield* all.propose("adoption", {})
      const one = yield* all.approve(adoption, all.bob)
      assert.strictEqual(one.state, "OPEN")
      assert.strictEqual((yield* all.approve(adoption, all.cleo, one.approvals)).state, "GRANTED")
      const { fleet, tenant } = yield* all.grants.stateOf(all.id)
      assert.deepStrictEqual([tenant.adopted, mustAdopt(fleet, tenant)], [1, false])
    }))
})

describe("people", () => {
  test("are found by the approvals that verify, and by no others", (all) =>
    Effect.gen(function* () {
      const authority = currentAuthority(yield* all.grants.fleet)
      const hash = "ab".repeat(32)
      const { passkeys } = all.trust
      const { approval } = yield* all.approval(hash, all.ann)
      const people = yield* verifiedPeople(passkeys, authority, { hash, approvals: [approval] })
      assert.deepStrictEqual([...people], ["ann"])
      const other = yield* Effect.flip(
        verifiedPeople(passkeys, authority, { hash: "cd".repeat(32), approvals: [approval] })
      )
      assert.strictEqual(other.code, "approval_invalid")
    }))
})
