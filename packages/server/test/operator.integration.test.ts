import { nothingUndecided } from "@bursar/core/deposit/undecided"
import { presetNetworks } from "@bursar/core/money/presetNetworks"
import { stored } from "./support/stored.ts"
import { ApiKey } from "@bursar/core/access/ApiKey"
import { accountAt, keyed } from "@bursar/testkit/fixtures/deposits"
import { assert, layer } from "@effect/vitest"
import { issueAddresses } from "@bursar/core/address/issueAddresses"
import { of } from "@bursar/core/money/Amount"
import { adjustFloat } from "@bursar/core/adjustment/adjustFloat"
import { confirmWalletTransfers, recordWalletTransfers } from "@bursar/core/incoming/walletTransfers"
import { parseKey } from "@bursar/core/access/KeyFormat"
import { TenantId, type TenantKind } from "@bursar/core/tenant/Tenant"
import { Effect } from "effect"
import { Operator } from "./support/Operator.ts"
import type { Answer } from "./support/Partner.ts"
import { written } from "./support/written.ts"

const codeOf = ({ body, status }: Answer) => [status, body.error?.code]

const anId = "019845e1-682f-7b02-a706-3b2422d13aec"

layer(Operator.layer, { excludeTestServices: true })("an operator", (it) => {
  let tenants = 0
  const makeTenantOf = Effect.fnUntraced(function* (kind: TenantKind) {
    tenants += 1
    const { operate } = yield* Operator
    const { body } = yield* operate("POST", "/operator/v1/tenants", {
      body: { slug: `acme-${tenants}`, name: "Acme", kind }
    })
    return body as { readonly id: string; readonly slug: string }
  })
  const makeTenant = makeTenantOf("SANDBOX")

  it.effect("needs the token, and partners have none", () =>
    Effect.gen(function* () {
      const { ask, operate } = yield* Operator
      const path = "/operator/v1/tenants"
      assert.deepStrictEqual(codeOf(yield* operate("GET", path, { key: "wrong" })), [401, "key_invalid"])
      assert.deepStrictEqual(codeOf(yield* operate("GET", path, { headers: { authorization: "" } })), [
        401,
        "key_missing"
      ])
      assert.strictEqual((yield* operate("GET", path)).status, 200)
      yield* makeTenant
      assert.notStrictEqual((yield* ask("GET", path)).status, 200)
      assert.notStrictEqual((yield* ask("GET", "/metrics")).status, 200)
      assert.deepStrictEqual(codeOf(yield* operate("DELETE", path)), [405, "method_not_allowed"])
      assert.deepStrictEqual(codeOf(yield* operate("GET", "/v1/whoami")), [404, "not_found"])
    })
  )

  it.effect(
    "is refused a body or a query that is no UTF-8, and a body of another encoding or that names a field twice",
    () =>
      Effect.gen(function* () {
        const { operate, state } = yield* Operator
        const path = "/operator/v1/tenants"
        const text = JSON.stringify({ slug: "jose", name: "Jos\u00e9", kind: "SANDBOX" })
        const before = [...state.tenants.keys()]
        const latin1 = yield* operate("POST", path, { raw: Buffer.from(text, "latin1") })
        assert.deepStrictEqual(codeOf(latin1), [400, "malformed_request"])
        const headers = { "content-type": "application/json; charset=iso-8859-1" }
        assert.deepStrictEqual(codeOf(yield* operate("POST", path, { raw: text, headers })), [
          415,
          "unsupported_media_type"
        ])
        const twice = `${text.slice(0, -1)},"kind":"LIVE"}`
        assert.deepStrictEqual(codeOf(yield* operate("POST", path, { raw: twice })), [422, "invalid_request"])
        assert.deepStrictEqual([...state.tenants.keys()], before)
        const search = "/operator/v1/search?text="
        assert.deepStrictEqual(codeOf(yield* operate("GET", `${search}caf%E9`)), [422, "invalid_request"])
        assert.strictEqual((yield* operate("GET", `${search}caf%C3%A9`)).status, 200)
      })
  )

  it.effect("makes a tenant that nobody may call for until it is set up and activated", () =>
    Effect.gen(function* () {
      const { ask, operate } = yield* Operator
      const { id, slug } = yield* makeTenant
      const path = `/operator/v1/tenants/${id}`
      assert.deepStrictEqual((yield* operate("GET", path)).body, {
        id,
        slug,
        name: "Acme",
        kind: "SANDBOX",
        status: "ONBOARDING",
        settings: {
          ip_allowlist: [],
          tenant_ceiling_per_minute: null,
          credit_sources: ["REGISTERED", "DERIVED", "SERVICE_ISSUED", "SERVICE_IMPORTED"],
          credit_historical: false,
          address_proof_required: false,
          signatures_required: [],
          hold_on_issuance: false,
          hold_on_import: false,
          hold_on_arrival: false,
          withdrawals_enabled: true,
          withdrawal_limit_usd: "50000",
          withdrawal_window_hours: 24,
          destination_cooling_hours: 24,
          slippage_bps: 0,
          payouts_enabled: true,
          payouts_off_on: [],
          payout_limit_usd: "25000",
          payout_daily_limit_usd: "100000",
          payout_new_address_limit_usd: "10000",
          payout_review_usd: "10000",
          payout_minimums: {},
          withdrawal_review_usd: null,
          adjustment_review_usd: "10000"
        },
        created_at: (yield* operate("GET", path)).body.created_at
      })
      assert.deepStrictEqual(
        codeOf(yield* operate("POST", "/operator/v1/tenants", { body: { slug, name: "Other", kind: "LIVE" } })),
        [409, "state_conflict"]
      )
      const real = yield* operate("POST", "/operator/v1/tenants", {
        body: { slug: `${slug}-live`, name: "Live", kind: "LIVE" }
      })
      assert.isTrue(real.body.settings.address_proof_required, "who moves real money has to prove its addresses")
      assert.deepStrictEqual(real.body.settings.signatures_required, ["transfers", "xpubs"])
      const {
        body: { key }
      } = yield* operate("POST", `${path}/keys`, { body: { label: "k", bundle: "deposits" } })
      assert.deepStrictEqual(codeOf(yield* ask("GET", "/v1/whoami", { key })), [403, "address_not_allowed"])
      const changed = yield* operate("POST", `${path}/settings`, {
        body: {
          ip_allowlist: ["127.0.0.0/8"],
          tenant_ceiling_per_minute: 50,
          credit_sources: ["SERVICE_ISSUED", "REGISTERED"],
          signatures_required: ["transfers", "withdrawals"],
          hold_on_arrival: true
        }
      })
      assert.deepStrictEqual(changed.body.settings, {
        ip_allowlist: ["127.0.0.0/8"],
        tenant_ceiling_per_minute: 50,
        credit_sources: ["REGISTERED", "SERVICE_ISSUED"],
        credit_historical: false,
        address_proof_required: false,
        signatures_required: ["transfers", "withdrawals"],
        hold_on_issuance: false,
        hold_on_import: false,
        hold_on_arrival: true,
        withdrawals_enabled: true,
        withdrawal_limit_usd: "50000",
        withdrawal_window_hours: 24,
        destination_cooling_hours: 24,
        slippage_bps: 0,
        payouts_enabled: true,
        payouts_off_on: [],
        payout_limit_usd: "25000",
        payout_daily_limit_usd: "100000",
        payout_new_address_limit_usd: "10000",
        payout_review_usd: "10000",
        payout_minimums: {},
        withdrawal_review_usd: null,
        adjustment_review_usd: "10000"
      })
      assert.deepStrictEqual(codeOf(yield* ask("GET", "/v1/whoami", { key })), [403, "tenant_suspended"])
      assert.strictEqual((yield* operate("POST", `${path}/activate`)).body.status, "ACTIVE")
      assert.strictEqual((yield* ask("GET", "/v1/whoami", { key })).status, 200)
      yield* operate("POST", `${path}/suspend`)
      assert.deepStrictEqual(codeOf(yield* ask("GET", "/v1/whoami", { key })), [403, "tenant_suspended"])
    })
  )

  it.effect("is told what is wrong with a setting, and nothing is changed", () =>
    Effect.gen(function* () {
      const { operate, state } = yield* Operator
      const { id } = yield* makeTenant
      const before = written(state, TenantId(id))
      for (const [path, body, field] of [
        ["settings", { ip_allowlist: ["127.0.0.1", "nonsense"] }, "body.ip_allowlist.1"],
        ["settings", { credit_sources: ["STOLEN"] }, "body.credit_sources.0"],
        ["settings", { tenant_ceiling_per_minute: 0 }, "body.tenant_ceiling_per_minute"],
        ["keys", { label: "k", bundle: "everything" }, "body.bundle"],
        ["keys", { label: "k" }, "body.scopes"],
        ["keys", { label: "k", scopes: [] }, "body.scopes"],
        ["keys", { label: "k", scopes: ["deposits:read", "coffee:make"] }, "body.scopes.1"],
        ["webhooks", { url: "ftp://partner.example" }, "body.url"],
        ["webhooks", { url: "https://user:pass@partner.example" }, "body.url"],
        ["webhooks", { url: "nonsense" }, "body.url"]
      ] as const) {
        const answer = yield* operate("POST", `/operator/v1/tenants/${id}/${path}`, { body })
        assert.deepStrictEqual(codeOf(answer), [422, "invalid_request"], field)
        assert.strictEqual(answer.body.error.fields[0].path, field)
      }
      assert.deepStrictEqual(
        codeOf(yield* operate("POST", `/operator/v1/tenants/${id}/settings`, { body: { vip: true } })),
        [422, "unknown_field"]
      )
      assert.deepStrictEqual(
        codeOf(
          yield* operate("POST", `/operator/v1/tenants/${id}/webhooks`, {
            body: { url: "https://partner.example", kinds: ["x.y"] }
          })
        ),
        [422, "unknown_kind"]
      )
      assert.deepStrictEqual(
        codeOf(
          yield* operate("POST", `/operator/v1/tenants/${id}/webhooks`, {
            body: { url: "https://partner.example", kinds: [] }
          })
        ),
        [422, "invalid_request"],
        "such an endpoint would never get anything"
      )
      for (const path of [`${anId}`, `${anId}/keys`, `${anId}/webhooks`, "no-uuid"]) {
        assert.deepStrictEqual(codeOf(yield* operate("GET", `/operator/v1/tenants/${path}`)), [404, "not_found"], path)
      }
      assert.deepStrictEqual(codeOf(yield* operate("POST", `/operator/v1/tenants/${anId}/activate`)), [
        404,
        "not_found"
      ])
      assert.deepStrictEqual(written(state, TenantId(id)), before)
    })
  )

  it.effect("grants keys by bundle and scope, lists them without the keys, and revokes them", () =>
    Effect.gen(function* () {
      const { ask, operate, state } = yield* Operator
      const { id } = yield* makeTenant
      const path = `/operator/v1/tenants/${id}`
      yield* operate("POST", `${path}/settings`, { body: { ip_allowlist: null } })
      yield* operate("POST", `${path}/activate`)
      const made = yield* operate("POST", `${path}/keys`, {
        body: { label: "ops", bundle: "deposits", scopes: ["transfers:*", "deposits:issue"] }
      })
      assert.strictEqual(made.status, 201)
      const { key } = made.body
      assert.strictEqual(parseKey(key)?.id, made.body.id)
      assert.deepStrictEqual(made.body.scopes, [
        "deposits:read",
        "deposits:write",
        "deposits:issue",
        "events:read",
        "transfers:read",
        "transfers:write"
      ])
      const listed = yield* operate("GET", `${path}/keys`)
      assert.notInclude(listed.text, key.slice(-20))
      assert.notInclude(JSON.stringify([...stored(state, TenantId(id), ApiKey).values()]), key.slice(-20))
      assert.strictEqual((yield* ask("GET", "/v1/whoami", { key })).status, 200)
      assert.deepStrictEqual([made.body.sealed, made.body.expires_at], [true, null])
      assert.strictEqual((yield* operate("POST", `${path}/keys/${made.body.id}/seal`)).body.sealed, true)
      const late = { label: "late", bundle: "deposits", expires_at: "2020-01-01T00:00:00Z" }
      assert.deepStrictEqual(codeOf(yield* operate("POST", `${path}/keys`, { body: late })), [422, "invalid_request"])
      const passing = { ...late, expires_at: "2999-01-01T00:00:00+01:00" }
      assert.strictEqual(
        (yield* operate("POST", `${path}/keys`, { body: passing })).body.expires_at,
        "2998-12-31T23:00:00.000Z"
      )
      const revoked = yield* operate("POST", `${path}/keys/${made.body.id}/revoke`)
      assert.isNotNull(revoked.body.revoked_at)
      assert.deepStrictEqual((yield* operate("POST", `${path}/keys/${made.body.id}/revoke`)).body, revoked.body)
      assert.deepStrictEqual(codeOf(yield* ask("GET", "/v1/whoami", { key })), [401, "key_invalid"])
      const other = yield* makeTenant
      assert.deepStrictEqual(
        codeOf(yield* operate("POST", `/operator/v1/tenants/${other.id}/keys/${made.body.id}/revoke`)),
        [404, "not_found"]
      )
    })
  )

  it.effect("keeps webhook endpoints, whose secrets are shown once and stored sealed", () =>
    Effect.gen(function* () {
      const { operate } = yield* Operator
      const { id } = yield* makeTenant
      const path = `/operator/v1/tenants/${id}/webhooks`
      const made = yield* operate("POST", path, {
        body: { url: "https://partner.example/hooks", kinds: ["deposit.settled"] }
      })
      assert.strictEqual(made.status, 201)
      assert.match(made.body.secret, /^whsec_[A-Za-z0-9+/]{43}=$/u)
      const { secret: _shown, ...endpoint } = made.body
      assert.deepStrictEqual((yield* operate("GET", path)).body, { webhooks: [endpoint] })
      const one = `${path}/${endpoint.id}`
      assert.deepStrictEqual(codeOf(yield* operate("POST", `${one}/activate-secret`)), [409, "state_conflict"])
      const rotated = yield* operate("POST", `${one}/rotate`)
      assert.notStrictEqual(rotated.body.secret, made.body.secret)
      assert.isTrue(rotated.body.secret_staged)
      // somebody else who rotates meanwhile does not exchange what the first one activates, unless told to
      assert.strictEqual((yield* operate("POST", `${one}/rotate`)).status, 409)
      const replaced = yield* operate("POST", `${one}/rotate?replace=true`)
      assert.notStrictEqual(replaced.body.secret, rotated.body.secret)
      // who was shown the one that was replaced does not activate the other
      const activate = (shown: { readonly body: { readonly staged_secret: string } }) =>
        operate("POST", `${one}/activate-secret?staged=${shown.body.staged_secret}`)
      assert.deepStrictEqual(codeOf(yield* activate(rotated)), [409, "state_conflict"])
      assert.isNull((yield* activate(replaced)).body.staged_secret)
      assert.isFalse((yield* operate("POST", `${one}/disable`)).body.enabled)
      assert.isTrue((yield* operate("POST", `${one}/enable`)).body.enabled)
      assert.deepStrictEqual((yield* operate("GET", `${one}/attempts`)).body, { attempts: [], waiting: 0 })
      assert.deepStrictEqual(codeOf(yield* operate("POST", `${one}/resend`, { body: { event_id: 1 } })), [
        404,
        "not_found"
      ])
      assert.deepStrictEqual(
        (yield* operate("POST", `${one}/replay`, { body: { from_event_id: 1, to_event_id: 9 } })).body,
        { queued: 0, enabled: true }
      )
      assert.deepStrictEqual(
        codeOf(yield* operate("POST", `${one}/replay`, { body: { from_event_id: 9, to_event_id: 1 } })),
        [422, "invalid_request"]
      )
      for (const action of ["disable", "enable", "rotate", "activate-secret"]) {
        assert.deepStrictEqual(codeOf(yield* operate("POST", `${path}/${anId}/${action}`)), [404, "not_found"], action)
      }
      assert.deepStrictEqual(codeOf(yield* operate("GET", `${path}/${anId}/attempts`)), [404, "not_found"])
    })
  )

  it.effect("sees how each network is read", () =>
    Effect.gen(function* () {
      const { operate, state } = yield* Operator
      const block = { number: 90, hash: "h", parentHash: "p", time: 0 }
      const updatedAt = yield* Effect.clockWith((clock) => clock.currentTimeMillis)
      const read = { cursor: block, blocks: [], problem: null, notice: null, nodes: [], updatedAt }
      const node = { node: "node 1 of 1", operator: null, isAsked: true, calls: 90, failed: 9, problem: "no answer" }
      const nodes = [{ ...node, problemAt: 1_800_000_000_000 }]
      state.networks.set("ethereum", { ...read, latest: 92, nodes })
      state.networks.set("bsc", { ...read, latest: 900 })
      // it was read before its node was taken out of the configuration
      state.networks.set("tron", { ...read, latest: 90, nodes })
      const { body } = yield* operate("GET", "/operator/v1/networks")
      const seen = body.networks.map(({ lag_blocks, network, watcher_status }: { readonly [key: string]: unknown }) => [
        network,
        watcher_status,
        lag_blocks
      ])
      assert.deepStrictEqual(seen, [
        ["tron", "OFF", 0],
        ["ethereum", "FOLLOWING", 2],
        ["bsc", "CATCHING_UP", 810],
        ["base", "STARTING", null],
        ["bitcoin", "OFF", null],
        ["stellar", "OFF", null]
      ])
      assert.deepStrictEqual(
        body.networks.map(({ nodes: told }: { readonly nodes: unknown }) => told),
        [
          [],
          [
            {
              node: "node 1 of 1",
              operator: null,
              is_asked: true,
              calls: 90,
              failed: 9,
              problem: "no answer",
              problem_at: "2027-01-15T08:00:00.000Z"
            }
          ],
          [],
          [],
          [],
          []
        ]
      )
      state.networks.set("bsc", { ...read, latest: 900, problem: "the node does not answer" })
      const later = yield* operate("GET", "/operator/v1/networks")
      assert.deepInclude(later.body.networks[2], { watcher_status: "STALLED", problem: "the node does not answer" })
    })
  )

  it.effect("is refused where it names a network that the service does not know", () =>
    Effect.gen(function* () {
      const { operate } = yield* Operator
      const { id } = yield* makeTenant
      const reason = { reason: "r" }
      for (const [path, body] of [
        ["networks/dogecoin/stop-payouts", reason],
        ["networks/dogecoin/resume-payouts", {}],
        ["networks/dogecoin/blocks/7/reread", {}],
        ["networks/dogecoin/blocks/7/pass", reason],
        ["networks/dogecoin/quarantine/pass", { ...reason, block_hash: "0x1" }]
      ] as const) {
        assert.deepStrictEqual(
          codeOf(yield* operate("POST", `/operator/v1/${path}`, { body })),
          [404, "not_found"],
          path
        )
      }
      const off = yield* operate("POST", `/operator/v1/tenants/${id}/settings`, {
        body: { payouts_off_on: ["dogecoin"] }
      })
      assert.deepStrictEqual(codeOf(off), [422, "invalid_request"])
      const wallet = yield* operate("POST", `/operator/v1/tenants/${id}/wallets`, { body: { network: "dogecoin" } })
      assert.deepStrictEqual(codeOf(wallet), [422, "unknown_network"])
    })
  )

  it.effect("undoes no setting that another operator has changed meanwhile", () =>
    Effect.gen(function* () {
      const { operate } = yield* Operator
      const { id } = yield* makeTenant
      const path = `/operator/v1/tenants/${id}/settings`
      const set = (body: object) => operate("POST", path, { body })
      const offOn = (networks: ReadonlyArray<string>, more: object = {}) =>
        set({ payouts_off_on: networks, instead_of: { payouts_off_on: [] }, ...more })
      assert.strictEqual((yield* offOn(["tron"])).status, 200)
      // both were made on the empty list
      const late = yield* offOn(["bitcoin"], { payouts_enabled: false })
      assert.deepStrictEqual(codeOf(late), [409, "state_conflict"])
      assert.include(late.body.error.message, 'payouts_off_on meanwhile: it is ["tron"] now')
      // one whose answer was lost is sent again
      const again = yield* offOn(["tron"])
      assert.deepStrictEqual(again.body.settings.payouts_off_on, ["tron"])
      assert.isTrue(again.body.settings.payouts_enabled)
      const minimums = { payout_minimums: { EUR: "5" }, payout_review_usd: "7" }
      const other = yield* set({ ...minimums, instead_of: { payout_minimums: {}, payout_review_usd: "10000" } })
      assert.deepInclude(other.body.settings, { ...minimums, payouts_off_on: ["tron"] })
      assert.deepStrictEqual(
        codeOf(yield* set({ payout_minimums: {}, instead_of: { payout_minimums: { EUR: "6" } } })),
        [409, "state_conflict"]
      )
    })
  )

  it.effect("takes a setting that is written otherwise for no change by another operator", () =>
    Effect.gen(function* () {
      const { operate } = yield* Operator
      const { id } = yield* makeTenant
      const set = (body: object) => operate("POST", `/operator/v1/tenants/${id}/settings`, { body })
      const of = (name: string, before: unknown, after: unknown) =>
        set({ [name]: after, instead_of: { [name]: before } })
      yield* set({ credit_sources: ["REGISTERED"], payout_limit_usd: "10" })
      // the service stores sources in its own order, and by their full names
      const two = ["IMPORTED", "REGISTERED"]
      const stored = (yield* of("credit_sources", ["REGISTERED"], two)).body.settings.credit_sources
      assert.notDeepEqual(stored, two)
      assert.lengthOf(stored, 2)
      const changes = [
        ["credit_sources", ["REGISTERED"], two],
        ["credit_sources", stored.toReversed(), ["ISSUED"]],
        ["payouts_off_on", [], ["tron", "bitcoin"]],
        ["payouts_off_on", ["bitcoin", "tron"], ["tron"]],
        ["payout_limit_usd", "10.0", "11"],
        ["payout_minimums", {}, { EUR: "5", USD: "6" }],
        ["payout_minimums", { USD: "6.00", EUR: "5" }, { EUR: "5" }]
      ] as const
      for (const [name, before, after] of changes)
        assert.strictEqual((yield* of(name, before, after)).status, 200, `${name} ${JSON.stringify(before)}`)
      for (const [name, before] of [
        ["credit_sources", stored],
        ["payouts_off_on", []],
        ["payouts_off_on", ["tron", "bitcoin"]],
        ["payout_limit_usd", "10"],
        ["payout_limit_usd", null],
        ["payout_minimums", { USD: "5" }]
      ] as const)
        assert.deepStrictEqual(
          // what is only named, and not set, is to be as it was, too
          codeOf(yield* set({ payouts_enabled: true, instead_of: { [name]: before } })),
          [409, "state_conflict"],
          `${name} ${JSON.stringify(before)}`
        )
    })
  )

  it.effect("can have the books checked, and is told the first wrong row", () =>
    Effect.gen(function* () {
      const { operate, state } = yield* Operator
      const { id } = yield* makeTenant
      const right = yield* operate("GET", "/operator/v1/check")
      assert.isTrue(right.body.ok)
      assert.isTrue(right.body.invariants.some(({ tenant_id }: { readonly tenant_id: string }) => tenant_id === id))
      const records = state.tenants.get(TenantId(id))
      records?.balances.set("float:available|EUR", {
        account: "float:available",
        currency: "EUR",
        units: 1n,
        version: 1
      })
      const wrong = yield* operate("GET", "/operator/v1/check")
      assert.isFalse(wrong.body.ok)
      const found = wrong.body.invariants.find(
        ({ first_wrong }: { readonly first_wrong: string | null }) => first_wrong !== null
      )
      assert.strictEqual(found.tenant_id, id)
      records?.balances.clear()
    })
  )

  it.effect("reads metrics by route, without a tenant's name in them", () =>
    Effect.gen(function* () {
      const { ask, operate } = yield* Operator
      yield* ask("GET", "/v1/whoami")
      const { headers, text } = yield* operate("GET", "/metrics")
      assert.include(headers["content-type"], "text/plain")
      assert.match(text, /bursar_http_requests[^\n]*route="GET \/operator\/v1\/tenants"/u)
      assert.notInclude(text, "acme")
      assert.strictEqual((yield* operate("GET", "/health/ready", { headers: { authorization: "" } })).status, 200)
    })
  )

  it.effect("holds and releases the sweeping of an address, whatever its tenant wants", () =>
    Effect.gen(function* () {
      const { ask, operate } = yield* Operator
      const { id } = yield* makeTenantOf("LIVE")
      const path = `/operator/v1/tenants/${id}`
      yield* operate("POST", `${path}/settings`, { body: { ip_allowlist: null, hold_on_issuance: true } })
      yield* operate("POST", `${path}/activate`)
      const { key } = (yield* operate("POST", `${path}/keys`, {
        body: { label: "k", scopes: ["deposits:issue", "deposits:write"] }
      })).body
      const issued = yield* ask("POST", "/v1/deposit-addresses/issue", {
        key,
        body: { network: "ethereum", reference: "r", count: 1 },
        headers: { "idempotency-key": "k" }
      })
      const [address] = issued.body.addresses
      assert.strictEqual(address.sweep_hold_kind, "ISSUANCE")
      const release = ask("POST", `/v1/deposit-addresses/${address.id}/sweep-hold`, {
        key,
        body: { held: false, reason: "mine" }
      })
      const held = yield* operate("POST", `${path}/addresses/${address.id}/hold`, { body: { reason: "ours" } })
      assert.deepStrictEqual([held.body.sweep_hold_kind, held.body.sweep_hold_reason], ["OPERATOR", "ours"])
      assert.deepStrictEqual((yield* operate("GET", `${path}/addresses/${address.id}`)).body, held.body)
      assert.deepStrictEqual(codeOf(yield* operate("GET", `${path}/addresses/${anId}`)), [404, "not_found"])
      assert.deepStrictEqual(codeOf(yield* release), [409, "sweep_hold_by_operator"])
      const under = yield* operate("POST", `${path}/addresses/${address.id}/release`)
      assert.strictEqual(under.body.sweep_hold_kind, "ISSUANCE")
      assert.strictEqual((yield* release).body.sweep_hold_kind, null)
      const absent = yield* operate("POST", `${path}/addresses/${crypto.randomUUID()}/release`)
      assert.deepStrictEqual(codeOf(absent), [404, "not_found"])
    })
  )

  it.effect(
    "sees what came for nobody, with what its sender wrote, and that it is given to the tenant by an adjustment",
    () =>
      Effect.gen(function* () {
        const { seeder, operate } = yield* Operator
        const { id } = yield* makeTenantOf("LIVE")
        const tenant = TenantId(id)
        const path = `/operator/v1/tenants/${id}/suspense`
        assert.deepStrictEqual((yield* operate("GET", path)).body, {
          balances: [],
          shortfalls: [],
          entries: [],
          next_cursor: null
        })
        assert.deepStrictEqual(codeOf(yield* operate("GET", `/operator/v1/tenants/${anId}/suspense`)), [
          404,
          "not_found"
        ])
        const account = "GA5ZSEJYB37JRC5AVCIA5MOP4RHTM335X2KGX3IHOJAPP5RE34K4KZVN"
        yield* seeder.submit(
          tenant,
          issueAddresses(
            {
              network: "stellar",
              reference: "r",
              count: 1,
              prederived: { seedId: anId, ...accountAt(account), from: 0, addresses: [keyed("M-0")] }
            },
            presetNetworks
          )
        )
        const block = { number: 7, hash: "b", time: 1_700_000_000_000 }
        const found = yield* seeder.submit(
          tenant,
          recordWalletTransfers(
            [
              {
                network: "stellar",
                txHash: "t",
                transferIndex: 1,
                walletId: anId,
                address: account,
                paidTo: account,
                memo: { type: "text", value: "invoice 7" },
                currency: "XLM",
                units: 250_000_000n,
                fromAddress: "GB",
                block
              }
            ],
            presetNetworks
          )
        )
        assert.strictEqual(found[0]?.place, "ACCOUNT")
        yield* seeder.submit(
          tenant,
          confirmWalletTransfers(
            found.map((incomingTransfer) => ({ incomingTransfer, block })),
            presetNetworks,
            nothingUndecided
          )
        )
        const { body } = yield* operate("GET", path)
        assert.deepStrictEqual(body.balances, [{ amount: "25", currency: "XLM" }])
        assert.deepInclude(body.entries[0], {
          direction: "in",
          amount: { amount: "25", currency: "XLM" },
          network: "stellar",
          tx_hash: "t",
          paid_to: account,
          memo: "text:invoice 7",
          from_address: "GB",
          assignable: true,
          assigned: null
        })
        const wanted = { currency: "XLM", amount: "25", against: "suspense", reason: "invoice 7" }
        const adjustments = `/operator/v1/tenants/${id}/float-adjustments`
        const assign = (assigns: string) => operate("POST", adjustments, { body: { ...wanted, assigns } })
        const arrival = body.entries[0].operation_id
        const first = yield* assign(arrival)
        assert.deepStrictEqual([first.status, first.body.state], [201, "proposed"], "it has no price")
        // another has the same screen open
        assert.deepStrictEqual(codeOf(yield* assign(arrival)), [409, "state_conflict"])
        assert.deepStrictEqual(codeOf(yield* assign(anId)), [422, "invalid_request"])
        const shown = Effect.map(operate("GET", path), (answer) =>
          answer.body.entries.map(
            ({
              assignable,
              assigned,
              direction
            }: {
              readonly assignable: boolean
              readonly assigned: unknown
              readonly direction: string
            }) => [direction, assignable, assigned]
          )
        )
        const proposal = first.body.adjustment_id
        assert.deepStrictEqual(yield* shown, [["in", false, { adjustment_id: proposal, operation_id: null }]])
        assert.strictEqual((yield* operate("GET", adjustments)).body.adjustments[0].assigns, arrival)
        yield* operate("POST", `${adjustments}/${proposal}/reject`, { body: { reason: "Not theirs." } })
        assert.deepStrictEqual(yield* shown, [["in", true, null]])
        const { id: given } = yield* seeder.submit(
          tenant,
          adjustFloat({ amount: of(250_000_000n, "XLM"), against: "suspense", assigns: arrival, reason: "invoice 7" })
        )
        assert.deepStrictEqual((yield* operate("GET", path)).body.balances, [])
        assert.deepStrictEqual(yield* shown, [
          ["out", false, null],
          ["in", false, { adjustment_id: null, operation_id: given }]
        ])
        const correct = (corrects: string, against = "custodian") =>
          operate("POST", adjustments, { body: { ...wanted, against, corrects } })
        assert.deepStrictEqual(codeOf(yield* correct(anId)), [404, "not_found"])
        assert.deepStrictEqual(codeOf(yield* correct(arrival, "suspense")), [422, "invalid_request"])
        const corrected = yield* correct(arrival)
        assert.deepStrictEqual([corrected.status, corrected.body.state], [201, "proposed"], "it has no price")
        const { body: proposals } = yield* operate("GET", adjustments)
        const names = ({ assigns, corrects }: Record<"assigns" | "corrects", unknown>) => [assigns, corrects]
        assert.sameDeepMembers(proposals.adjustments.map(names), [
          [arrival, null],
          [null, arrival]
        ])
      })
  )
})
