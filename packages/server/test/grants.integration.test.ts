import { Grant, GrantProposal } from "@bursar/core/grant/Grant"
import { grantHash } from "@bursar/core/grant/grantHash"
import { type TestApprover, testApprover } from "@bursar/testkit/fixtures/grants"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { codeOf, layerGranted, setUp, trust } from "./support/grants.ts"
import { Operator } from "./support/Operator.ts"
import type { Answer } from "./support/Partner.ts"
import { stored } from "./support/stored.ts"

const test = <A, E>(name: string, effect: Effect.Effect<A, E, Operator>) =>
  it.live(name, () => Effect.provide(effect, layerGranted))

const suspension = { kind: "suspension", values: { suspended: true, reason: "Asked for." } }

const signingKey = {
  kind: "signing_key",
  values: {
    api_key_id: "AAAAAAAA",
    keyid: "poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U",
    public_key: "JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs",
    state: "ACTIVE"
  }
}

describe("grants over HTTP", () => {
  test(
    "hold once enough people have approved them with their own keys, whoever the operator is",
    Effect.gen(function* () {
      const { ann, approve, as, bob, propose, tenant } = yield* setUp
      const proposal = yield* propose({ ...signingKey, note: "Their new key." })
      assert.deepStrictEqual([proposal.status, proposal.body.state, proposal.body.approvals_needed], [201, "OPEN", 2])
      assert.deepInclude(proposal.body.changes, { path: "state", from: null, to: "ACTIVE" })
      assert.strictEqual(proposal.body.hash, yield* grantHash(proposal.body.document))
      const one = yield* approve(proposal, ann)
      assert.deepStrictEqual([one.status, one.body.state], [200, "OPEN"])
      // one operator passes on both: it is people's keys that count
      const two = yield* approve(proposal, bob)
      assert.deepStrictEqual([two.body.state, two.body.decided_by, two.body.changes], ["GRANTED", "anna", null])
      assert.deepStrictEqual(
        two.body.approvals.map(({ person }: { readonly person: string }) => person),
        ["ann", "bob"]
      )
      const { body } = yield* as("otto", "GET", `/chains/${tenant}/entries`)
      assert.deepStrictEqual([body.entries.length, body.entries[0].document], [1, proposal.body.document])
      const report = yield* as("otto", "GET", "/verify")
      assert.strictEqual(report.body.ok, true)
      assert.deepInclude(report.body.chains, {
        chain: tenant,
        number: 1,
        hash: proposal.body.hash,
        adopted: true,
        problem: null
      })
      const listed = yield* as("otto", "GET", `/chains/${tenant}/proposals`)
      assert.deepStrictEqual(listed.body.proposals, [two.body])
    })
  )

  test(
    "are not approved by anything but a person's own word for that very document",
    Effect.gen(function* () {
      const { ann, approve, as, propose, signed, tenant } = yield* setUp
      const proposal = yield* propose(signingKey)
      const path = `/chains/${tenant}/proposals/${proposal.body.id}`
      const stranger = yield* testApprover("ann", 9)
      assert.deepStrictEqual(codeOf(yield* approve(proposal, stranger)), [422, "invalid_request"])
      const other = yield* propose(suspension)
      const borrowed = yield* signed(other, ann)
      assert.deepStrictEqual(codeOf(yield* as("anna", "POST", `${path}/approve`, borrowed)), [422, "invalid_request"])
      assert.deepStrictEqual(codeOf(yield* approve(proposal, ann, "otto")), [403, "scope_missing"])
      yield* approve(proposal, ann)
      assert.deepStrictEqual(codeOf(yield* approve(proposal, ann)), [409, "state_conflict"])
      const { body } = yield* as("otto", "GET", path)
      assert.strictEqual(body.approvals.length, 1)
    })
  )

  test(
    "that lower a risk take one person, and outdate what was proposed beside them",
    Effect.gen(function* () {
      const { ann, approve, as, bob, propose, tenant } = yield* setUp
      const key = yield* propose(signingKey)
      const stop = yield* propose(suspension)
      assert.strictEqual(stop.body.approvals_needed, 1)
      assert.strictEqual((yield* approve(stop, bob)).body.state, "GRANTED")
      const { body } = yield* as("otto", "GET", `/chains/${tenant}/proposals/${key.body.id}`)
      assert.deepStrictEqual([body.state, body.approvals_needed, body.changes], ["OUTDATED", null, null])
      assert.deepStrictEqual(codeOf(yield* approve(key, ann)), [409, "state_conflict"])
    })
  )

  test(
    "are rejected, refused where they could never hold, and not found elsewhere",
    Effect.gen(function* () {
      const { ann, approve, as, propose, tenant } = yield* setUp
      const proposal = yield* propose(signingKey)
      const path = `/chains/${tenant}/proposals/${proposal.body.id}`
      assert.deepStrictEqual(codeOf(yield* propose(signingKey)), [409, "state_conflict"])
      const rejected = yield* as("otto", "POST", `${path}/reject`, { reason: "No." })
      assert.deepStrictEqual([rejected.body.state, rejected.body.reason], ["REJECTED", "No."])
      assert.deepStrictEqual(codeOf(yield* approve(proposal, ann)), [409, "state_conflict"])
      for (const wrong of [
        { kind: "signing_key", values: {} },
        { kind: "robbery", values: {} },
        { kind: "signing_key", values: { ...signingKey.values, state: "REVOKED" } },
        { kind: "signing_key", values: { ...signingKey.values, more: "1" } },
        { kind: "network", values: { network: "base", stopped: true, reason: "" } },
        { kind: "adoption", values: {} },
        { ...suspension, note: "hidden \u202e" }
      ])
        assert.deepStrictEqual(codeOf(yield* propose(wrong)), [422, "invalid_request"], JSON.stringify(wrong))
      const nowhere = "019845e1-682f-7b02-a706-ffffffffffff"
      assert.deepStrictEqual(codeOf(yield* propose(suspension, nowhere)), [404, "not_found"])
      const fleet = "00000000-0000-0000-0000-000000000000"
      assert.deepStrictEqual(codeOf(yield* propose(suspension, fleet)), [404, "not_found"])
      const elsewhere = `/chains/fleet/proposals/${proposal.body.id}`
      assert.deepStrictEqual(codeOf(yield* as("otto", "GET", elsewhere)), [404, "not_found"])
    })
  )

  test(
    "whose rows were changed are noticed: nothing is added to a chain that does not hold",
    Effect.gen(function* () {
      const { ann, approve, as, bob, propose, state, tenant } = yield* setUp
      const proposal = yield* propose(signingKey)
      yield* approve(proposal, ann)
      // somebody writes a second approval into the row: it is verified anew
      const proposals = state.tenants.get(tenant)?.records.get(GrantProposal.name)
      const row = stored(state, tenant, GrantProposal).get(proposal.body.id)!
      const forged = { ...row.approvals[0]!, person: "cleo" }
      proposals?.set(row.id, { ...row, approvals: [...row.approvals, forged] })
      assert.deepStrictEqual(codeOf(yield* approve(proposal, bob)), [409, "state_conflict"])
      proposals?.set(row.id, row)
      yield* approve(proposal, bob)
      // somebody appends a grant of their own
      const last = stored(state, tenant, Grant).get("1")!
      const grants = state.tenants.get(tenant)?.records.get(Grant.name)
      grants?.set("2", { ...last, number: 2 })
      const shown = yield* as("otto", "GET", `/chains/${tenant}/proposals`)
      assert.deepStrictEqual(codeOf(shown), [409, "state_conflict"])
      assert.deepStrictEqual(codeOf(yield* propose(suspension)), [409, "state_conflict"])
      const { body } = yield* as("otto", "GET", "/verify")
      assert.strictEqual(body.ok, false)
      const report = body.chains.find(({ chain }: { readonly chain: string }) => chain === tenant)
      assert.include(report.problem, "wrong_number")
    })
  )

  test(
    "of a removed approver make nobody believe a chain until those who still approve have adopted it",
    Effect.gen(function* () {
      const { ann, approve, as, bob, cleo, propose, tenant } = yield* setUp
      const root = (yield* trust).root
      const adoption = { kind: "adoption", values: {} }
      assert.deepStrictEqual(codeOf(yield* propose(adoption)), [422, "invalid_request"])
      yield* approve(yield* propose(suspension), bob)
      const values = { approvers: root.approvers.slice(1), quorum: "2", quorums: {} }
      const removal = yield* propose({ kind: "approvers", values }, "fleet")
      assert.strictEqual(removal.body.approvals_needed, 1)
      assert.isTrue(
        removal.body.changes.every((change: { readonly to: string | null }) => change.to === null),
        "only what goes is shown"
      )
      yield* approve(removal, bob)
      const { body } = yield* as("otto", "GET", "/approvers")
      assert.deepStrictEqual(
        body.approvers.map(({ id }: { readonly id: string }) => id),
        ["bob", "cleo"]
      )
      const before = yield* as("otto", "GET", "/verify")
      assert.deepInclude(before.body.chains, { ...before.body.chains[1], chain: tenant, adopted: false })
      const adopting = yield* propose(adoption)
      assert.strictEqual(adopting.body.approvals_needed, 2)
      assert.deepStrictEqual(codeOf(yield* approve(adopting, ann)), [422, "invalid_request"])
      assert.strictEqual((yield* approve(adopting, bob)).body.state, "OPEN")
      assert.strictEqual((yield* approve(adopting, cleo)).body.state, "GRANTED")
      const after = yield* as("otto", "GET", "/verify")
      assert.deepInclude(after.body.chains, { ...after.body.chains[1], chain: tenant, adopted: true })
    })
  )

  test(
    "are appended with the approvals that they bring along, by whoever may pass them on, once",
    Effect.gen(function* () {
      const { ann, as, bob, cleo, propose, tenant } = yield* setUp
      const importable = as("otto", "GET", `/chains/${tenant}/import`)
      const kinds = ({ body }: Answer) => body.contents.map(({ kind }: { readonly kind: string }) => kind)
      const before = yield* importable
      assert.deepStrictEqual(kinds(before), ["api_key", "policy"])
      const { body } = yield* propose(before.body.contents[1])
      const [path, { document, hash }] = [`/chains/${tenant}/entries`, body]
      const by = (...people: ReadonlyArray<TestApprover>) => Effect.forEach(people, ({ sign }) => sign(hash))
      const append = (approvals: unknown, name = "anna", text = document) =>
        as(name, "POST", path, { document: text, approvals })
      assert.deepStrictEqual(codeOf(yield* append(yield* by(ann, bob), "otto")), [403, "scope_missing"])
      const stranger = yield* testApprover("bob", 9)
      for (const few of [[], yield* by(ann), yield* by(ann, ann), yield* by(ann, stranger)])
        assert.deepStrictEqual(codeOf(yield* append(few)), [422, "invalid_request"])
      const raised = document.replace('"payout_limit_usd":"25000"', '"payout_limit_usd":null')
      assert.notStrictEqual(raised, document)
      assert.deepStrictEqual(codeOf(yield* append(yield* by(ann, bob), "anna", raised)), [422, "invalid_request"])
      const appended = yield* append(yield* by(ann, bob))
      assert.deepStrictEqual([appended.status, appended.body.hash, appended.body.number], [201, hash, 1])
      // it is asked again after an answer that was lost; who brings another approval changes nothing
      assert.deepStrictEqual((yield* append(yield* by(ann, cleo))).body, appended.body)
      assert.deepStrictEqual(kinds(yield* importable), ["api_key"])
      const elsewhere = yield* as("anna", "POST", "/chains/fleet/entries", { document, approvals: yield* by(ann, bob) })
      assert.deepStrictEqual(codeOf(elsewhere), [409, "state_conflict"])
      assert.strictEqual((yield* as("otto", "GET", path)).body.entries.length, 1)
    })
  )

  test(
    "are written into the log of operators' actions by their hash",
    Effect.gen(function* () {
      const { ann, approve, propose, state } = yield* setUp
      const proposal = yield* propose(suspension)
      yield* approve(proposal, ann)
      const notes = state.audit.flatMap(({ params, status }) => (status === null ? [] : [params]))
      assert.isTrue(
        notes.some((params) => params["grant_hash"] === proposal.body.hash && params["approved_by"] === "ann")
      )
    })
  )

  it.live("are refused where the service has no root", () =>
    Effect.gen(function* () {
      const { operate } = yield* Operator
      const answer = yield* operate("GET", "/operator/v1/grants/approvers")
      assert.deepStrictEqual(codeOf(answer), [403, "product_not_enabled"])
    }).pipe(Effect.provide(Operator.layer))
  )
})
