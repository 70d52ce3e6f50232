import { generateSigningKey } from "@bursar/api/signature/Ed25519"
import { ApiKey } from "@bursar/core/access/ApiKey"
import { GrantProposal } from "@bursar/core/grant/Grant"
import { policyValues } from "@bursar/core/grant/PolicyValues"
import { SigningKey } from "@bursar/core/signature/SigningKey"
import { addSigningKey } from "@bursar/core/signature/signingKeyCommands"
import { defaultPolicy, type Tenant } from "@bursar/core/tenant/Tenant"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { sealOf } from "../src/keys/keySeal.ts"
import { makeKey } from "../src/keys/makeKey.ts"
import { codeOf, layerGranted, setUp } from "./support/grants.ts"
import { Operator } from "./support/Operator.ts"
import { settings } from "./support/Partner.ts"
import { stored } from "./support/stored.ts"

const test = <A, E>(name: string, effect: Effect.Effect<A, E, Operator>) =>
  it.live(name, () => Effect.provide(effect, layerGranted))

const policy = policyValues({ kind: "LIVE", policy: { ...defaultPolicy, ipAllowlist: null } })

/** A tenant whose policy is granted, with what an operator and a partner ask. */
const begin = Effect.gen(function* () {
  const granting = yield* setUp
  const { ann, approve, as, bob, propose, state, tenant } = granting
  const { ask, logged, operate, seeder } = yield* Operator
  const keys = `/operator/v1/tenants/${tenant}/keys`
  const create = (body: unknown) => operate("POST", keys, { body })
  const show = (id: string) => as("otto", "GET", `/chains/${tenant}/proposals/${id}`)
  /** What a key opens: 200, or why not. */
  const opens = (key: string) => Effect.map(ask("GET", "/v1/whoami", { key }), ({ status }) => status)
  const grantPolicy = Effect.gen(function* () {
    const proposal = yield* propose({ kind: "policy", values: policy })
    for (const person of [ann, bob]) assert.strictEqual((yield* approve(proposal, person)).status, 200)
  })
  /** A key that both approvers have agreed to. */
  const grantedKey = Effect.gen(function* () {
    const made = yield* create({ label: "intake", bundle: "introspection" })
    const proposal = yield* show(made.body.proposal_id)
    for (const person of [ann, bob]) assert.strictEqual((yield* approve(proposal, person)).status, 200)
    return { id: String(made.body.id), text: String(made.body.key) }
  })
  const row = (id: string): ApiKey =>
    stored(state, tenant, ApiKey).get(id) ?? assert.fail(`there is no key ${id} in storage`)
  /** Changes a key behind the back of the service, by somebody who has the pepper as well. */
  const forge = (id: string, change: Partial<ApiKey>) => {
    const forged = { ...row(id), ...change }
    const seal = sealOf(settings.keyPepper, { ...forged, tenantId: tenant, kind: "LIVE" })
    stored(state, tenant, ApiKey).set(id, { ...forged, seal })
  }
  const rewrite = (change: Partial<Tenant>) => {
    const records = state.tenants.get(tenant) ?? assert.fail("there is no such tenant")
    records.head = { ...records.head, tenant: { ...records.head.tenant, ...change } }
  }
  const says = (...words: ReadonlyArray<string>) =>
    assert.isTrue(
      logged.some((line) => words.every((word) => line.includes(word))),
      `${words.join(" ")} is not in the log`
    )
  return { ...granting, create, forge, grantedKey, grantPolicy, keys, opens, operate, rewrite, row, says, seeder, show }
})

describe("an API key under grants", () => {
  test(
    "is made by nobody alone: the secret is shown to who proposes it, and opens nothing before the quorum has agreed",
    Effect.gen(function* () {
      const { ann, approve, bob, create, grantPolicy, keys, opens, operate, row, show, state, tenant } = yield* begin
      yield* grantPolicy
      const made = yield* create({ label: "intake", bundle: "introspection", expires_at: "2036-01-01T00:00:00.000Z" })
      assert.strictEqual(made.status, 201, made.text)
      const { id, key, proposal_id: proposalId } = made.body
      assert.isUndefined(stored(state, tenant, ApiKey).get(id))
      assert.strictEqual(yield* opens(key), 401)
      const proposal = yield* show(proposalId)
      assert.strictEqual(proposal.body.approvals_needed, 2)
      const { values } = JSON.parse(proposal.body.document)
      assert.deepInclude(values, { id, environment: "LIVE", expires_at: "2036-01-01T00:00:00.000Z", state: "ACTIVE" })
      assert.notInclude(proposal.text, key.slice(-49))
      yield* approve(proposal, ann)
      assert.strictEqual(yield* opens(key), 401)
      yield* approve(proposal, bob)
      assert.strictEqual(yield* opens(key), 200)
      assert.deepInclude(row(id), { hash: values.hash, prefix: values.prefix, revokedAt: null })
      const listed = (yield* operate("GET", keys)).body.keys.find((one: { readonly id: string }) => one.id === id)
      assert.deepInclude(listed, { sealed: true, expires_at: "2036-01-01T00:00:00.000Z" })
      assert.notInclude(JSON.stringify([...state.audit]), key.slice(-49))
    })
  )

  test(
    "is proposed for nothing that it could not be: scopes nobody knows, another environment, another name",
    Effect.gen(function* () {
      const { create, grantPolicy, propose, show } = yield* begin
      yield* grantPolicy
      const made = yield* create({ label: "intake", bundle: "introspection" })
      const { values } = JSON.parse((yield* show(made.body.proposal_id)).body.document)
      for (const [change, code] of [
        [{ scopes: ["everything"] }, "invalid_request"],
        [{ scopes: [] }, "invalid_request"],
        [{ prefix: "bsr_live_BBBBBBBB" }, "invalid_request"],
        [{ environment: "SANDBOX" }, "invalid_request"],
        [{ environment: "SANDBOX", prefix: values.prefix.replace("live", "test") }, "state_conflict"],
        [{ expires_at: "2020-01-01T00:00:00.000Z" }, "state_conflict"],
        [{ id: "AAAAAAAA", prefix: "bsr_live_AAAAAAAA" }, "state_conflict"]
      ] as const)
        assert.strictEqual(
          codeOf(yield* propose({ kind: "api_key", values: { ...values, ...change } }))[1],
          code,
          JSON.stringify(change)
        )
      assert.strictEqual((yield* create({ label: "hidden\u202e", bundle: "introspection" })).status, 422)
    })
  )

  test(
    "that somebody writes into the database opens nothing, though they have the pepper, and calls a person",
    Effect.gen(function* () {
      const { grantedKey, grantPolicy, opens, says, seeder, tenant } = yield* begin
      const early = yield* seeder.key(tenant)
      assert.strictEqual(yield* opens(early), 200, "rows decide until the policy is granted")
      yield* grantPolicy
      const late = yield* seeder.key(tenant)
      for (const inserted of [early, late]) {
        assert.strictEqual(yield* opens(inserted), 401)
        says("api_key.distrusted", inserted.slice(0, 17), "ungranted")
      }
      assert.strictEqual(yield* opens((yield* grantedKey).text), 200)
    })
  )

  test(
    "opens nothing once its scopes, its expiry, its hash or its tenant's kind were changed, and opens again as it was granted",
    Effect.gen(function* () {
      const { forge, grantedKey, grantPolicy, opens, rewrite, row, says, seeder, state, tenant } = yield* begin
      yield* grantPolicy
      const { id, text } = yield* grantedKey
      const honest = row(id)
      const other = yield* makeKey({
        prefix: settings.keyPrefix,
        tenant: { id: tenant, kind: "LIVE" },
        label: "x",
        scopes: ["transfers:write"],
        pepper: settings.keyPepper
      })
      for (const change of [
        { scopes: [...honest.scopes, "transfers:write"] },
        { expiresAt: 4_000_000_000_000 },
        { prefix: "bsr_live_BBBBBBBB" }
      ]) {
        forge(id, change)
        assert.strictEqual(yield* opens(text), 401, JSON.stringify(change))
      }
      says("api_key.distrusted", id, "altered")
      // another secret in the place of a granted key
      forge(id, { hash: other.record.hash })
      assert.deepStrictEqual([yield* opens(text), yield* opens(Redacted.value(other.secret))], [401, 401])
      forge(id, honest)
      assert.strictEqual(yield* opens(text), 200)
      rewrite({ kind: "SANDBOX" })
      assert.strictEqual(yield* opens(text), 401)
      rewrite({ kind: "LIVE" })
      // moved to another tenant, with all that is right there
      const stranger = yield* seeder.tenant()
      stored(state, tenant, ApiKey).delete(id)
      const seal = sealOf(settings.keyPepper, { ...honest, tenantId: stranger, kind: "LIVE" })
      stored(state, stranger, ApiKey).set(id, { ...honest, tenantId: stranger, seal })
      assert.notStrictEqual(yield* opens(text), 200)
    })
  )

  test(
    "is revoked by an operator alone at once, one approver makes the chain say it, and no row brings it back",
    Effect.gen(function* () {
      const { ann, approve, forge, grantedKey, grantPolicy, keys, opens, operate, show, state, tenant } = yield* begin
      yield* grantPolicy
      const { id, text } = yield* grantedKey
      const revoked = yield* operate("POST", `${keys}/${id}/revoke`)
      assert.strictEqual(revoked.status, 200, revoked.text)
      assert.strictEqual(yield* opens(text), 401)
      const open = [...stored(state, tenant, GrantProposal).values()].filter((one) => one.state === "OPEN")
      assert.strictEqual(open.length, 1)
      const approved = yield* approve(yield* show(open[0]?.id ?? ""), ann)
      assert.strictEqual(approved.body.state, "GRANTED", approved.text)
      forge(id, { revokedAt: null })
      assert.strictEqual(yield* opens(text), 401)
    })
  )

  test(
    "is imported as it was sealed, and left out where its row was altered or nobody has sealed it",
    Effect.gen(function* () {
      const { as, seeder, state, tenant } = yield* begin
      const rows = stored(state, tenant, ApiKey)
      rows.delete("AAAAAAAA")
      const [honest, altered, unsealed] = [
        yield* seeder.key(tenant),
        yield* seeder.key(tenant),
        yield* seeder.key(tenant)
      ]
      const idOf = (text: string) => text.split("_")[2] ?? ""
      const of = (text: string) => rows.get(idOf(text)) ?? assert.fail("it is not there")
      rows.set(idOf(altered), { ...of(altered), expiresAt: 4_000_000_000_000 })
      rows.set(idOf(unsealed), { ...of(unsealed), seal: null })
      const { body } = yield* as("otto", "GET", `/chains/${tenant}/import`)
      const kept = body.contents.filter(({ kind }: { readonly kind: string }) => kind === "api_key")
      const found = kept.find((one: { readonly values: { readonly id: string } }) => one.values.id === idOf(honest))
      assert.deepInclude(found?.values, { environment: "LIVE", hash: of(honest).hash, state: "ACTIVE" })
      const reasons = body.left_out.map(({ reason, what }: Record<string, string>) => `${what}: ${reason}`)
      assert.include(reasons, `api_key ${idOf(altered)}: it was altered after it was made`)
      assert.include(reasons, `api_key ${idOf(unsealed)}: it has no seal: bursar key seal`)
    })
  )

  test(
    "has no signing key imported that was revoked with so many bindings that the log does not name them",
    Effect.gen(function* () {
      const { as, keys, operate, seeder, state, tenant } = yield* begin
      const { keyid, publicJwk } = yield* generateSigningKey
      const bound: Array<SigningKey> = []
      for (let n = 0; n < 64; n++) {
        const apiKeyId = (yield* seeder.key(tenant)).split("_")[2] ?? ""
        bound.push(yield* seeder.submit(tenant, addSigningKey({ apiKeyId, keyid, publicKey: publicJwk.x })))
      }
      const path = `${keys.replace(/keys$/u, "signing-keys")}/${keyid}/revoke`
      const answer = yield* operate("POST", path, { body: {} })
      assert.strictEqual(answer.status, 200, answer.text)
      for (const key of bound) stored(state, tenant, SigningKey).set(SigningKey.text(key), key)
      const { body } = yield* as("otto", "GET", `/chains/${tenant}/import`)
      const kinds = body.contents.map(({ kind }: { readonly kind: string }) => kind)
      assert.include(kinds, "api_key")
      assert.notInclude(kinds, "signing_key")
    })
  )

  test(
    "is not imported, nor is a signing key, where an operator has revoked it before and its row came back",
    Effect.gen(function* () {
      const { as, keys, operate, seeder, state, tenant } = yield* begin
      const rows = stored(state, tenant, ApiKey)
      rows.delete("AAAAAAAA")
      const idOf = (text: string) => text.split("_")[2] ?? ""
      const [revoked, kept] = [idOf(yield* seeder.key(tenant)), idOf(yield* seeder.key(tenant))]
      const bound: Array<SigningKey> = []
      for (let n = 0; n < 2; n++) {
        const { keyid, publicJwk } = yield* generateSigningKey
        const key = { apiKeyId: kept, keyid, publicKey: publicJwk.x }
        bound.push(yield* seeder.submit(tenant, addSigningKey(key)))
      }
      const [stolen, good] = bound
      if (stolen === undefined || good === undefined) return assert.fail("no keys were bound")
      const before = new Map(rows)
      // the record of a revocation names the tenant as its row does, however the path was written
      const capitals = keys.replace(tenant, tenant.toUpperCase())
      assert.strictEqual((yield* operate("POST", `${capitals}/${revoked}/revoke`)).status, 200)
      const signingKeys = keys.replace(/keys$/u, "signing-keys")
      const answer = yield* operate("POST", `${signingKeys}/${stolen.keyid}/revoke`, { body: {} })
      assert.strictEqual(answer.status, 200, answer.text)
      // a backup from before brings them back
      for (const [id, row] of before) rows.set(id, row)
      const restored = stored(state, tenant, SigningKey)
      restored.set(SigningKey.text(stolen), stolen)
      const { body } = yield* as("otto", "GET", `/chains/${tenant}/import`)
      const found = body.contents.map(
        ({ kind, values }: { readonly kind: string; readonly values: Record<string, string> }) =>
          `${kind} ${values["keyid"] ?? values["id"] ?? ""}`
      )
      assert.include(found, `api_key ${kept}`)
      assert.include(found, `signing_key ${good.keyid}`)
      assert.notInclude(found, `api_key ${revoked}`)
      assert.notInclude(found, `signing_key ${stolen.keyid}`)
      const reasons = body.left_out.map(({ reason }: Record<string, string>) => reason)
      assert.lengthOf(
        reasons.filter((reason: string) => /has revoked it, by record \d+ of the audit log/u.test(reason)),
        2
      )
    })
  )
})

describe("a tenant under grants", () => {
  test(
    "whose suspension somebody ends in the database stays suspended for its partner, and calls a person",
    Effect.gen(function* () {
      const { ann, approve, grantedKey, grantPolicy, opens, propose, rewrite, says, tenant } = yield* begin
      yield* grantPolicy
      const { text } = yield* grantedKey
      yield* approve(yield* propose({ kind: "suspension", values: { suspended: true, reason: "Asked for." } }), ann)
      assert.strictEqual(yield* opens(text), 403)
      rewrite({ status: "ACTIVE" })
      assert.strictEqual(yield* opens(text), 403)
      says("tenant.distrusted", tenant, "suspended by a grant")
    })
  )

  test(
    "is called from nowhere that somebody adds in the database alone",
    Effect.gen(function* () {
      const { ann, approve, grantedKey, grantPolicy, opens, propose, rewrite, says, tenant } = yield* begin
      yield* grantPolicy
      const { text } = yield* grantedKey
      yield* approve(yield* propose({ kind: "policy", values: { ...policy, ip_allowlist: ["10.9.8.7"] } }), ann)
      assert.strictEqual(yield* opens(text), 403)
      rewrite({ policy: { ...defaultPolicy, ipAllowlist: null } })
      assert.strictEqual(yield* opens(text), 401)
      says("tenant.distrusted", tenant, "allow more than was granted")
    })
  )

  test(
    "gets no policy of the other environment",
    Effect.gen(function* () {
      const { propose } = yield* begin
      const { environment: _, ...nowhere } = policy
      for (const values of [{ ...policy, environment: "SANDBOX" }, nowhere])
        assert.deepStrictEqual(codeOf(yield* propose({ kind: "policy", values })), [409, "state_conflict"])
    })
  )
})
