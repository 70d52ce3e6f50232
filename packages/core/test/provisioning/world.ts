import { presetNetworks } from "@bursar/core/money/presetNetworks"
import { keyed } from "@bursar/testkit/fixtures/deposits"
import { of } from "@bursar/core/money/Amount"
import { adjustFloat } from "@bursar/core/adjustment/adjustFloat"
import { addWallet } from "@bursar/core/provisioning/addWallet"
import { type ProvisioningCheck } from "@bursar/core/provisioning/recordProvisioning"
import { PayoutWallet } from "@bursar/core/transaction/PayoutWallet"
import { Refusal } from "@bursar/core/base/Refusal"
import type { Command } from "@bursar/core/engine/Command"
import { putRecord, readRecord } from "@bursar/core/engine/Records"
import { type ReserveProvisioning, reserveProvisioning } from "@bursar/core/provisioning/reserveProvisioning"
import { provisioningQueue } from "@bursar/core/transaction/queues"
import { JobQueue } from "@bursar/core/port/JobQueue"
import { Queries } from "@bursar/core/store/Queries"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { newTenant } from "@bursar/testkit/fixtures/tenants"
import { Effect, Result } from "effect"
import { submit } from "../payout/world.ts"
import { AccountProvisioning } from "@bursar/core/provisioning/AccountProvisioning"

/** The network of the tests: accounts must exist there and hold trustlines. */
export const network = "stellar"
/** An hour. */
export const hourMs = 3_600_000

const walletAt = (index: number, seedId: string) =>
  addWallet(
    { network, role: index === 0 ? "PAYOUT" : "CHANNEL", seedId, index, ...keyed(`G-${index}`) },
    presetNetworks
  )

/** A tenant with a payout wallet and an account that is to lend its numbers. */
export const tenant = Effect.gen(function* () {
  const { id } = yield* newTenant()
  const seedId = crypto.randomUUID()
  const wallet = yield* submit(id, walletAt(0, seedId))
  const channel = yield* submit(id, walletAt(1, seedId))
  const funded = of(1_000_000_000n, "XLM")
  yield* submit(id, adjustFloat({ amount: funded, against: "chain:stellar:payouts", reason: "funded" }))
  return { id, seedId, wallet, channel }
})

/** A step that uses the next sequence of the wallet, or of the channel account that lends its own. */
export const making = ({
  channel,
  first = 7n,
  wallet,
  ...more
}: {
  readonly wallet: PayoutWallet
  readonly channel?: PayoutWallet
  readonly first?: bigint
} & Partial<ReserveProvisioning>) =>
  reserveProvisioning(
    {
      address: "G-1",
      role: "CHANNEL",
      step: { _tag: "Fund", units: 20_000_000n },
      after: null,
      succeeded: true,
      wallet,
      guard: { _tag: "Next", account: channel ?? wallet, first },
      ...more
    },
    presetNetworks
  )

/** A wallet that has given a number after the last that it is known to have given. */
export const numberTaken = (id: string): Command<null> => ({
  name: "NumberTaken",
  reads: [readRecord(PayoutWallet, id)],
  decide: (view) => {
    const wallet = view.get(PayoutWallet, id)
    return wallet === undefined || wallet.nextSequence === null
      ? Result.fail(new Refusal({ code: "not_found", message: "There is no such wallet." }))
      : Result.succeed({
          changes: [putRecord(PayoutWallet, { ...wallet, nextSequence: wallet.nextSequence + 1n })],
          reply: null
        })
  }
})

/** The code with which a command is refused. */
export const codeOf = <A>(tenantId: TenantId, command: Parameters<typeof submit<A>>[1]) =>
  Effect.map(Effect.flip(submit(tenantId, command)), (error) => (error._tag === "Refusal" ? error.code : error._tag))

/** How far an account is set up. */
export const provisioningOf = Effect.fnUntraced(function* (tenantId: TenantId, address: string) {
  const queries = yield* Queries
  return yield* queries.record(tenantId, AccountProvisioning, `${network}|${address}`)
})

/** Whether the accounts of a tenant are to be looked at. */
export const isDue = Effect.fnUntraced(function* (tenantId: TenantId, now: number) {
  const jobQueue = yield* JobQueue
  return (yield* jobQueue.due(provisioningQueue(network), now, 100)).some((item) => item.tenantId === tenantId)
})

/** An account that was found to be ready. */
export const ready = (address: string, role: ProvisioningCheck["role"]): ProvisioningCheck => ({
  address,
  role,
  ready: true,
  problem: null,
  asked: true
})
