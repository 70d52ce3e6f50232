import { beginCustody } from "@bursar/core/custody/beginCustody"
import { of } from "@bursar/core/money/Amount"
import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import type { Operation } from "@bursar/core/operation/Operation"
import type { Proof } from "@bursar/core/port/ChainSender"
import type { Resolution, Statement } from "@bursar/core/resolution/Resolution"
import { approveResolution } from "@bursar/core/resolution/resolutionCommands"
import { Queries } from "@bursar/core/store/Queries"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { sent as sentSwap } from "../swap/world.ts"
import { payer, propose, send, submit } from "../transfer/world.ts"
import { verified, withdraw, withdrawer } from "../withdrawal/world.ts"

/** An address of the tenant's own outside the service. */
export const mine = "0x52908400098527886E0F7030069857D2E4169EE7"

/** So many units are a whole one of the currencies of these tests. */
export const million = 1_000_000n

/** A withdrawal of 5 USDC on base that was accepted. */
export const withdrawal = Effect.gen(function* () {
  const tenant = yield* withdrawer()
  yield* verified(tenant, mine)
  const operation = yield* withdraw(tenant, 5n * million)
  return typeof operation === "string" ? assert.fail(operation) : { tenant, operation }
})

/** Sends an order of a withdrawal to the custodian. */
export const sendOut = Effect.fnUntraced(function* (tenant: TenantId, operation: Operation) {
  const task = yield* submit(tenant, beginCustody(operation, { name: "fake", environment: "LIVE" }))
  return task._tag === "Send" ? task.operation : assert.fail(`the order was not to be sent: ${task._tag}`)
})

/** A withdrawal of 5 USDC on base whose order went out. */
export const sentWithdrawal = Effect.gen(function* () {
  const { operation, tenant } = yield* withdrawal
  return { tenant, operation: yield* sendOut(tenant, operation) }
})

/** A swap of 5 USDC on base for USDT on ethereum whose order went out. */
export const swapSent = Effect.gen(function* () {
  const tenant = yield* withdrawer()
  return { tenant, operation: yield* sentSwap(tenant, 5n * million, false) }
})

/** A bank transfer of 100 EUR whose order went out. */
export const transferSent = Effect.gen(function* () {
  const tenant = yield* payer()
  return { tenant, operation: yield* send(tenant) }
})

/** What operators write down: that a provider has settled an order under an id of its own, unless told otherwise. */
export const stated = (more: Partial<Statement> = {}): Statement => ({
  outcome: "SETTLED",
  basis: "PROVIDER",
  reference: "Ticket 4711",
  source: "Their support",
  text: "As it was told on the phone.",
  providerReference: "theirs-1",
  txHash: null,
  received: null,
  networkFee: null,
  ...more
})

/** What was received in euros. */
export const euros = (units: bigint) => ({ received: of(units, "EUR") })

/** An operation as it is stored. */
export const stored = Effect.fnUntraced(function* (tenant: TenantId, { id }: Pick<Operation, "id">) {
  return (yield* (yield* Queries).operation(tenant, id)) ?? assert.fail("the operation is gone")
})

/** The approval of a proposal, by another operator unless told otherwise. */
export const approval = (operation: Operation, resolution: Resolution, by = "ben", proof: Proof | null = null) =>
  approveResolution({ resolution, operation, by, currencies: defaultCurrencies, proof })

/** Two operators resolve an operation; gives it as it then stands. */
export const resolved = Effect.fnUntraced(function* (tenant: TenantId, operation: Operation, statement: Statement) {
  const resolution = yield* propose(tenant, operation, statement)
  yield* submit(tenant, approval(operation, resolution))
  return yield* stored(tenant, operation)
})
