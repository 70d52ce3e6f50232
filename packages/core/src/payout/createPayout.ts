import { Result } from "effect"
import { schedule } from "../engine/Job.ts"
import type { Command } from "../engine/Command.ts"
import type { Read } from "../engine/Read.ts"
import { putRecord, readGroup, readRecord } from "../engine/Records.ts"
import { Refusal } from "../base/Refusal.ts"
import type { View } from "../engine/View.ts"
import { assessPayout } from "../limit/assessPayout.ts"
import { countUsage, usageReads } from "../limit/limitedUsage.ts"
import { isNewReceiver } from "../limit/newReceiver.ts"
import { of } from "../money/Amount.ts"
import type { CurrencyTable } from "../money/Currency.ts"
import type { Rate } from "../money/Rate.ts"
import { hold, holdReads } from "../operation/holds.ts"
import { newOperation } from "../operation/newOperation.ts"
import { Operation } from "../operation/Operation.ts"
import type { OperationDetails } from "../operation/OperationDetails.ts"
import { spendableReads } from "../operation/spendable.ts"
import { namesTenant } from "../tenant/namesTenant.ts"
import { payoutQueue } from "./payoutQueue.ts"
import { firstWallet, PayoutWallet } from "../transaction/PayoutWallet.ts"
import { type SignatureEvidence, withEvidence } from "../signature/SignatureEvidence.ts"
import { paidAddressKey, receiverOf, PaidAddress } from "./PaidAddress.ts"
import { newPayout, Payout } from "./Payout.ts"
import type { PayoutOrder } from "./PayoutOrder.ts"
import { refuseReach } from "../environment/reach.ts"
import { chargeOf, feeReads, feeRulesAt } from "../pricing/charge.ts"
import type { FeeRule } from "../pricing/FeeRule.ts"
import { switchedOffFor } from "./payoutSwitches.ts"
import { liveAddress } from "../address/owners.ts"

/** A request for a chain payout that was read, with what the world says at the moment. */
export interface CreatePayout {
  readonly order: PayoutOrder
  /** The account that the address is a part of, in its canonical form (stellar); the address itself elsewhere. */
  readonly account: string
  readonly reference: string
  /** The guard of the request: the slug or id of the tenant that it is meant for; null where it names none. */
  readonly tenant: string | null
  /** What one whole unit of the currency is worth in US dollars; null where that is not known. */
  readonly usd: Rate | null
  /** Why the service pays nothing on the network at the moment, whoever asks; null where it does. */
  readonly switchedOff: string | null
  readonly evidence: SignatureEvidence
  /** The API key of the request. */
  readonly madeBy: string
  readonly defaultFees: ReadonlyArray<FeeRule>
  readonly currencies: CurrencyTable
}

const refuse = (code: Refusal["code"], message: string) => Result.fail(new Refusal({ code, message }))

/** Why a tenant's payouts are off on a network; undefined where they are on. The command reads `readGroup("PayoutWallet", network)`. */
export const payoutsOffReason = (
  { tenant }: Pick<View, "tenant">,
  network: PayoutOrder["network"],
  wallets: ReadonlyArray<PayoutWallet>,
  switchedOff: string | null
): string | undefined => {
  const off = switchedOff ?? switchedOffFor({ tenant }, network)
  if (off !== undefined) return off
  return firstWallet(wallets) !== undefined ? undefined : `The tenant has no payout wallet on ${network}.`
}

const addressReads = ({ account, currencies, order: { network, to } }: CreatePayout): ReadonlyArray<Read> =>
  currencies.networks
    .siblings(network)
    .flatMap((sibling) =>
      [...new Set([to, account])].map((address): Read => ({ _tag: "LiveAddress", network: sibling, address }))
    )

/** Whether the tenant itself has the address, on this network or on one where the same key has it too. */
const isOurs = (view: View, { account, currencies, order: { network, to } }: CreatePayout): boolean =>
  currencies.networks
    .siblings(network)
    .some((sibling) => [to, account].some((address) => liveAddress(view, sibling, address)?.owner === view.tenant.id))

const detailsOf = (
  { evidence, order: { memo, to } }: CreatePayout,
  assessed: OperationDetails<"CHAIN_PAYOUT">,
  from: string
): OperationDetails<"CHAIN_PAYOUT"> => {
  const details: OperationDetails<"CHAIN_PAYOUT"> = {
    ...assessed,
    destination: { address: to, memo: memo === null ? null : memo.value, memo_type: memo?.type ?? null },
    from_address: from,
    failure_reason: null
  }
  return withEvidence(details, evidence)
}

/**
 * Accepts a chain payout: holds amount and fee, counts it in the limits, and puts it in the queue of its network, or before an
 * operator from the tenant's threshold on. Refused, in this order: `tenant_mismatch`, a network of
 * another environment (`product_not_enabled`), `payouts_disabled`, `address_is_ours`,
 * what its limits say (`assessPayout`), `insufficient_balance`.
 */
export const createPayout = (command: CreatePayout): Command<Operation> => ({
  name: "CreatePayout",
  reads: [
    readGroup(PayoutWallet, command.order.network),
    ...feeReads,
    readRecord(PaidAddress, paidAddressKey(command.order.network, receiverOf(command.order))),
    ...usageReads("CHAIN_PAYOUT"),
    ...addressReads(command),
    ...holdReads(command.order.currency, `chain:${command.order.network}:payouts`),
    ...spendableReads(command.order.currency, command.currencies)
  ],
  decide: (view) =>
    Result.gen(function* () {
      const { defaultFees, madeBy, order, reference, tenant: guard } = command
      if (guard !== null && !namesTenant(guard, view.tenant)) {
        return yield* refuse("tenant_mismatch", "The request names another tenant than that of its key.")
      }
      const foreign = refuseReach(view.tenant, command.currencies.networks.of(order.network))
      if (foreign !== undefined) return yield* Result.fail(foreign)
      const wallets = view.group(PayoutWallet, order.network)
      const off = payoutsOffReason(view, order.network, wallets, command.switchedOff)
      if (off !== undefined) return yield* refuse("payouts_disabled", off)
      if (isOurs(view, command))
        return yield* refuse("address_is_ours", "The destination is an address of your own here.")
      const currency = command.currencies.byCode(order.currency)
      if (currency === undefined) return yield* refuse("unsupported_asset", `${order.currency} is not known.`)
      const isNew = isNewReceiver(view.get(PaidAddress, paidAddressKey(order.network, receiverOf(order))), view.now)
      const { units } = order
      const { details, inReview } = yield* assessPayout(view, {
        kind: "CHAIN_PAYOUT",
        units,
        currency,
        usd: command.usd,
        isNew
      })
      const { fee, rule } = chargeOf(feeRulesAt(view, defaultFees), {
        product: "CHAIN_PAYOUT",
        currency,
        units,
        rail: order.network
      })
      const from = firstWallet(wallets)?.address ?? ""
      const operation = newOperation(view, {
        kind: "CHAIN_PAYOUT",
        status: inReview ? "IN_REVIEW" : "ACCEPTED",
        amount: of(order.units, order.currency),
        customerFee: fee,
        network: order.network,
        partnerReference: reference,
        details: detailsOf(command, { ...details, fee_rule: rule?.id ?? null }, from)
      })
      const held = yield* hold(view, operation, command.currencies)
      return {
        changes: [
          putRecord(Operation, operation),
          held,
          putRecord(Payout, newPayout(operation.id, order, madeBy)),
          ...countUsage(view, [operation], 1n),
          ...(inReview ? [] : [schedule(payoutQueue(order.network), operation.id, view.now)])
        ],
        reply: operation
      }
    })
})
