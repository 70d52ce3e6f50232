import { underGrants, ungranted } from "@bursar/core/grant/leavingByGrants"
import { inGrantedEnvironment } from "@bursar/core/grant/environmentByGrants"
import type { Command } from "@bursar/core/engine/Command"
import type { OperationKind } from "@bursar/core/operation/OperationKind"
import type { View } from "@bursar/core/engine/View"
import { policyValues } from "@bursar/core/grant/PolicyValues"
import { putRecord } from "@bursar/core/engine/Records"
import { GrantChainBroken } from "@bursar/core/grant/verifyChain"
import { newPayout, Payout } from "@bursar/core/payout/Payout"
import { newOperation } from "@bursar/core/operation/newOperation"
import { Operation } from "@bursar/core/operation/Operation"
import { defaultPolicy, type Tenant, type TenantPolicy } from "@bursar/core/tenant/Tenant"
import { grantTenant, proposedAt } from "@bursar/testkit/fixtures/grants"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { destination, world } from "./chain.ts"

const tenantWith = (policy: Readonly<Record<string, unknown>>, kind: Tenant["kind"] = "LIVE"): Tenant => ({
  id: grantTenant,
  slug: "acme",
  name: "Acme",
  kind,
  status: "ACTIVE",
  // what a row holds was checked by nobody
  policy: { ...defaultPolicy, ...policy } as TenantPolicy,
  createdAt: proposedAt
})

const payout = (tenant: Tenant, kind: OperationKind = "CHAIN_PAYOUT") => ({
  tenant,
  now: proposedAt,
  operation: newOperation(
    // all of a view that a new operation takes
    { now: proposedAt, newId: () => crypto.randomUUID(), tenant } as unknown as View,
    { kind, status: "ACCEPTED", amount: { units: 1n, currency: "USDC_ETH" }, network: "ethereum" }
  )
})

describe("what may leave by grants", () => {
  it.effect("nothing does while the tenant's row is of another environment than was granted, or none was", () =>
    Effect.gen(function* () {
      const all = yield* world()
      const two = [all.ann, all.bob]
      const objection = (kind: Tenant["kind"]) => String(ungranted(all.chain(), payout(tenantWith({}, kind))))
      const { environment: _, ...early } = policyValues({ kind: "SANDBOX", policy: defaultPolicy })
      yield* all.grant("policy", early, two)
      assert.match(objection("SANDBOX"), /does not say the tenant's environment/u)
      yield* all.grant("policy", { ...early, environment: "SANDBOX" }, two)
      assert.strictEqual(objection("SANDBOX"), "undefined")
      assert.match(objection("LIVE"), /LIVE in its row, and SANDBOX by its grants/u)
      // a bank is asked for what comes in as well
      const incoming = (kind: Tenant["kind"]) => ungranted(all.chain(), payout(tenantWith({}, kind), "ON_RAMP"))
      assert.isUndefined(incoming("SANDBOX"))
      assert.match(String(incoming("LIVE")), /SANDBOX by its grants/u)
      const seen: Command<string> = {
        name: "Seen",
        reads: [],
        decide: ({ tenant }) => Result.succeed({ changes: [], reply: `${tenant.kind} ${tenant.slug}` })
      }
      // all of a view that it looks at
      const decide = (command: Command<string>) =>
        Result.getOrThrow(command.decide({ tenant: tenantWith({}, "LIVE") } as unknown as View)).reply
      assert.strictEqual(decide(inGrantedEnvironment(all.chain(), seen)), "SANDBOX acme")
      assert.strictEqual(decide(inGrantedEnvironment(undefined, seen)), "LIVE acme")
    })
  )

  it.effect(
    "nothing does while the row of the tenant's settings says more than was granted, or what no policy can say",
    () =>
      Effect.gen(function* () {
        const all = yield* world()
        yield* all.grant("policy", policyValues({ kind: "LIVE", policy: defaultPolicy }), [all.ann, all.bob])
        const objection = (policy: Readonly<Record<string, unknown>>) =>
          ungranted(all.chain(), payout(tenantWith(policy)))
        assert.isUndefined(objection({}))
        assert.isUndefined(objection({ payoutLimitUsd: "1" }))
        for (const policy of [
          { payoutLimitUsd: null },
          { payoutLimitUsd: "" },
          { payoutLimitUsd: "-1" },
          { payoutLimitUsd: "0x10" },
          { payoutLimitUsd: "1e30" },
          { payoutLimitUsd: 7 },
          { payoutsOffOn: null },
          { payoutMinimums: { USDC_ETH: "many" } },
          { withdrawalWindowHours: "soon" }
        ])
          assert.isDefined(objection(policy), JSON.stringify(policy))
      })
  )

  it.effect(
    "nothing does from the place of a provider that one person has stopped, until the quorum lets it go on",
    () =>
      Effect.gen(function* () {
        const all = yield* world()
        yield* all.grant("policy", policyValues({ kind: "LIVE", policy: defaultPolicy }), [all.ann, all.bob])
        const tenant = tenantWith({})
        const { now, operation } = payout(tenant)
        const through = (kind: "BANK_TRANSFER" | "OFF_RAMP" | "SWAP", provider: string) =>
          ungranted(all.chain(), { now, tenant, operation: { ...operation, kind, network: null, provider } })
        const stop = { network: "bank:bridge", stopped: true, reason: "It was booked twice." }
        yield* all.grant("network", stop, [all.cleo])
        for (const kind of ["BANK_TRANSFER", "OFF_RAMP"] as const)
          assert.strictEqual(through(kind, "bridge"), "bank:bridge is stopped by a grant")
        // another provider, and another place of one of that name
        assert.isUndefined(through("BANK_TRANSFER", "other"))
        assert.isUndefined(through("SWAP", "bridge"))
        const resume = { ...stop, stopped: false, reason: "" }
        assert.strictEqual((yield* Effect.exit(all.grant("network", resume, [all.cleo])))._tag, "Failure")
        yield* all.grant("network", resume, [all.ann, all.bob])
        assert.isUndefined(through("BANK_TRANSFER", "bridge"))
      })
  )

  it.effect(
    "nothing does before a policy was granted, while the tenant is suspended, or by chains that do not hold",
    () =>
      Effect.gen(function* () {
        const all = yield* world()
        const objection = (kind: OperationKind) => ungranted(all.chain(), payout(tenantWith({}), kind))
        const out = ["WITHDRAWAL", "SWAP", "OFF_RAMP", "BANK_TRANSFER", "REFUND", "CHAIN_PAYOUT"] as const
        const others = ["DEPOSIT", "ADJUSTMENT", "REVERSAL", "INTERNAL_TRANSFER", "ON_RAMP"] as const
        for (const kind of out) assert.match(objection(kind) ?? "", /no policy was granted/u, kind)
        yield* all.grant("policy", policyValues({ kind: "LIVE", policy: defaultPolicy }), [all.ann, all.bob])
        yield* all.grant("suspension", { suspended: true, reason: "Asked for." }, [all.ann])
        const broken = new GrantChainBroken({ tenantId: grantTenant, position: 1, code: "cut", reason: "it was cut" })
        for (const kind of out) {
          assert.match(objection(kind) ?? "", /suspended by a grant/u, kind)
          assert.strictEqual(ungranted(broken, payout(tenantWith({}), kind)), broken.message, kind)
          assert.isUndefined(ungranted(undefined, payout(tenantWith({}), kind)), "rows decide")
        }
        for (const kind of others) {
          assert.isUndefined(objection(kind), kind)
          assert.isUndefined(ungranted(broken, payout(tenantWith({}), kind)), kind)
        }
      })
  )

  it.effect("a withdrawal goes to the newest destination that was granted for its currency, exactly", () =>
    Effect.gen(function* () {
      const all = yield* world()
      const two = [all.ann, all.bob]
      const tenant = tenantWith({})
      yield* all.grant("policy", policyValues({ kind: "LIVE", policy: defaultPolicy }), two)
      const granted = destination("d1", "USDC_ETH")
      const later = proposedAt + 24 * 3_600_000
      const to = (
        address: string | null,
        more: Partial<Operation> & { readonly memo?: string | null } = {},
        now = later
      ) => {
        const { memo = null, ...fields } = more
        const { operation } = payout(tenant, "WITHDRAWAL")
        const details = address === null ? {} : { destination: { address, memo } }
        return ungranted(all.chain(), { tenant, now, operation: { ...operation, details, ...fields } })
      }
      assert.match(to(granted.address) ?? "", /no destination for USDC_ETH/u)
      yield* all.grant("destination", granted, two)
      assert.isUndefined(to(granted.address))
      assert.match(to(granted.address, {}, later - 1) ?? "", /no destination/u, "it may not be used yet")
      assert.match(to("0xthief") ?? "", /it goes to 0xthief/u)
      assert.match(to(null) ?? "", /it goes to nowhere/u)
      for (const other of [{ memo: "1" }, { network: "base" }, { network: null }])
        assert.isDefined(to(granted.address, other), JSON.stringify(other))
      assert.match(to(granted.address, { amount: { units: 1n, currency: "ETH" } }) ?? "", /no destination for ETH/u)
      yield* all.grant("network", { network: "ethereum", stopped: true, reason: "A reorg." }, [all.cleo])
      assert.match(to(granted.address) ?? "", /ethereum is stopped/u)
    })
  )

  it.effect("a chain payout does only on a network where they are granted", () =>
    Effect.gen(function* () {
      const all = yield* world()
      const policy = { ...defaultPolicy, payoutsOffOn: ["ethereum"] }
      const tenant = tenantWith({ payoutsOffOn: ["ethereum"] })
      yield* all.grant("policy", policyValues({ kind: "LIVE", policy }), [all.ann, all.bob])
      const { now, operation } = payout(tenant)
      const on = (network: string | null) =>
        ungranted(all.chain(), { now, tenant, operation: { ...operation, network } })
      assert.match(on("ethereum") ?? "", /on ethereum off/u)
      assert.isUndefined(on("base"))
      assert.isUndefined(on(null))
    })
  )
})

describe("a command under grants", () => {
  it.effect("is refused for the first of its operations that may not leave, and is itself where all may", () =>
    Effect.gen(function* () {
      const all = yield* world()
      const tenant = tenantWith({})
      const view = { tenant, now: proposedAt } as unknown as View // all that it looks at
      const { operation } = payout(tenant)
      const command = (...operations: ReadonlyArray<Operation>): Command<string> => ({
        name: "Put",
        reads: [],
        decide: () =>
          Result.succeed({
            changes: [
              ...operations.map((one) => putRecord(Operation, one)),
              putRecord(Payout, { ...newPayout("p", order, "maker") })
            ],
            reply: "done"
          })
      })
      const order = { network: "ethereum", currency: "USDC_ETH", contract: null, units: 1n, to: "0xa", memo: null }
      const coming: Operation = { ...operation, kind: "DEPOSIT" }
      const refusal = Result.getOrThrow(Result.flip(underGrants(all.chain(), command(coming, operation)).decide(view)))
      assert.strictEqual(refusal.code, "not_granted")
      assert.match(String(refusal.detail?.["reason"]), /no policy was granted/u)
      for (const given of [command(coming), command()])
        assert.deepStrictEqual(underGrants(all.chain(), given).decide(view), given.decide(view))
      const free = command(operation)
      assert.deepStrictEqual(underGrants(undefined, free).decide(view), free.decide(view))
    })
  )
})
