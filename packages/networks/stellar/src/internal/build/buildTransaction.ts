import type { ChainError } from "@bursar/core/port/Chain"
import { CannotBuild, type Payment, type SendOrder, type UnsignedTransaction } from "@bursar/core/port/ChainSender"
import { Effect, Result } from "effect"
import { demux } from "../../Address.ts"
import { inconsistent } from "../rpc/NodeAnswer.ts"
import type { CheckedLedger } from "../read/readLedger.ts"
import { checkReceiver } from "./checkReceiver.ts"
import { type Action, decodeSigned, encodePayment } from "./StellarPayment.ts"
import { type Account, creationMin, readAccount, spendableOf } from "./readAccount.ts"
import { readFees } from "./readFees.ts"
import { freshLedger, type SenderContext } from "./SenderContext.ts"

/** How many times the bid of what did not get into a ledger is bid for what replaces it. No queue asks for it: it takes no second one of an account but a fee bump. */
const replaceFeeFactor = 10n

const cannot = (reason: CannotBuild["reason"], detail: string, missing: CannotBuild["missing"] = null): CannotBuild =>
  new CannotBuild({ network: "stellar", reason, detail, missing })

const insufficient = (contract: string | null, needed: bigint, held: bigint): CannotBuild =>
  cannot("insufficient_wallet", `${needed} base units of ${contract ?? "XLM"} are needed, ${held} can be spent`, {
    contract,
    units: needed - held
  })

/** The network takes no more operations in a transaction. */
const operationsMax = 100

const sequenceOf = ({ trustlines = [], payments, guard }: SendOrder) => {
  if (guard._tag !== "Sequence") throw new Error(`a sequence number is used up on stellar, not ${guard._tag}`)
  if (payments.length > 1) throw new Error(`${payments.length} payments are more than one`)
  if (trustlines.length > 0 && payments.length > 0) throw new Error("what agrees to hold an asset pays nothing")
  if (trustlines.length > operationsMax)
    throw new Error(`${trustlines.length} agreements are more than ${operationsMax}`)
  return guard
}

/** What to bid for all operations: what gets into a full ledger, and enough more than the transaction that is to be replaced. */
const feeOf = Effect.fnUntraced(function* (
  { feeMax, http, networkPassphrase }: SenderContext,
  order: SendOrder
): Effect.fn.Return<bigint, ChainError | CannotBuild> {
  const { bid, usual } = yield* readFees(http)
  const operations = BigInt(Math.max(1, order.trustlines?.length ?? 0))
  // Each operation bids the same.
  const capped = feeMax - (feeMax % operations)
  const affordable = bid * operations < capped ? bid * operations : capped
  if (usual * operations > capped) {
    return yield* cannot("fee_capped", `${operations} operations cost ${usual} stroops each, more than ${feeMax}`)
  }
  if (order.replacing === null) return affordable
  const { stellarPayment } = Result.getOrThrowWith(
    decodeSigned(order.replacing, networkPassphrase),
    (reason) => new Error(`the transaction to replace cannot be read: ${reason}`)
  )
  const guard = sequenceOf(order)
  if (stellarPayment.source !== guard.account || stellarPayment.sequence !== guard.sequence) {
    throw new Error("the transaction to replace uses up another sequence number")
  }
  const fair = stellarPayment.fee * replaceFeeFactor
  const least = fair % operations === 0n ? fair : fair + operations - (fair % operations)
  if (least > capped) return yield* cannot("fee_capped", `a replacement must bid ${least} stroops, more than ${feeMax}`)
  return least > affordable ? least : affordable
})

const nativeAction = (
  { drain }: SendOrder,
  { units }: Payment,
  { fee, ledger, payer }: { readonly payer: Account | null; readonly fee: bigint; readonly ledger: CheckedLedger }
): Result.Result<bigint, CannotBuild> => {
  const spendable = payer === null ? 0n : spendableOf(payer, ledger)
  if (!drain) {
    return spendable < units + fee ? Result.fail(insufficient(null, units + fee, spendable)) : Result.succeed(units)
  }
  const held = payer?.balance ?? 0n
  if (held < units) return Result.fail(insufficient(null, units, held))
  // What is known to be there may be less than all that is; the reserve stays in either case.
  const rest = (units < spendable ? units : spendable) - fee
  return rest > 0n ? Result.succeed(rest) : Result.fail(insufficient(null, fee + 1n, spendable))
}

const tokenUnits = (
  from: string,
  { contract, units }: Payment & { readonly contract: string },
  payer: Account | null
): Result.Result<bigint, CannotBuild> => {
  // The issuer makes what it pays.
  if (contract.endsWith(`:${from}`)) return Result.succeed(units)
  const line = payer?.lines.get(contract)
  const held = line === undefined ? 0n : line.balance - line.selling
  if (held < units) return Result.fail(insufficient(contract, units, held))
  return line?.authorized === true
    ? Result.succeed(units)
    : Result.fail(cannot("asset_blocked", `the issuer does not let ${from} pay with ${contract}`))
}

/** What is done, once both parties were looked at. */
const actionOf = Effect.fnUntraced(function* (
  context: SenderContext,
  order: SendOrder,
  { fee, ledger, payment }: { readonly payment: Payment; readonly fee: bigint; readonly ledger: CheckedLedger }
): Effect.fn.Return<Extract<Action, { readonly _tag: "Create" | "Pay" }>, ChainError | CannotBuild> {
  const { from } = order
  const { contract, to } = payment
  if (contract !== null && !context.assets.has(contract)) throw new Error(`${contract} is no asset known here`)
  if ((demux(to)?.account ?? to) === from) {
    return yield* cannot("destination_invalid", "an account pays nothing by paying itself")
  }
  const payer = yield* readAccount(context.http, from, ledger)
  const units = yield* Effect.fromResult(
    contract === null
      ? nativeAction(order, payment, { payer, ledger, fee: sequenceOf(order).account === from ? fee : 0n })
      : tokenUnits(from, { ...payment, contract }, payer)
  )
  const receiving = yield* checkReceiver(context, { ...payment, units }, ledger)
  switch (receiving._tag) {
    case "Unpayable":
      return yield* cannot("destination_invalid", receiving.message)
    case "Create":
      return { _tag: "Create", from, to, units }
    case "Pay":
      return { _tag: "Pay", from, to, contract, units }
  }
})

/** The agreement of an account that is there, and can keep what each of them takes. `fee` is what it pays beside. */
const trustlinesOf = Effect.fnUntraced(function* (
  { assets, http }: SenderContext,
  { trustlines = [], from }: SendOrder,
  fee: bigint,
  ledger: CheckedLedger
): Effect.fn.Return<Action, ChainError | CannotBuild> {
  const strange = trustlines.find((contract) => !assets.has(contract) || contract.endsWith(`:${from}`))
  if (strange !== undefined) throw new Error(`${strange} is no asset that ${from} could agree to hold`)
  const account = yield* readAccount(http, from, ledger)
  if (account === null) return yield* insufficient(null, creationMin(ledger), 0n)
  const fresh = trustlines.filter((contract) => !account.lines.has(contract))
  const needed = BigInt(fresh.length) * ledger.baseReserve + fee
  const spendable = spendableOf(account, ledger)
  if (spendable < needed) return yield* insufficient(null, needed, spendable)
  return { _tag: "Trust", from, contracts: trustlines }
})

/** Builds what an order asks for, from what the newest ledger says. */
export const buildTransaction = Effect.fn("StellarSender.build")(function* (
  context: SenderContext,
  order: SendOrder
): Effect.fn.Return<UnsignedTransaction, ChainError | CannotBuild> {
  const { account: source, sequence } = sequenceOf(order)
  const [payment] = order.payments
  const ledger = yield* freshLedger(context)
  const minTime = Math.floor(ledger.ref.time / 1_000)
  const maxTime = Math.floor(order.validUntil / 1_000)
  if (maxTime <= minTime) {
    return yield* inconsistent("build a transaction", `it would be void before ledger ${ledger.ref.number + 1}`)
  }
  const fee = yield* feeOf(context, order)
  const agrees = (order.trustlines?.length ?? 0) > 0
  const action: Action = agrees
    ? yield* trustlinesOf(context, order, source === order.from ? fee : 0n, ledger)
    : payment === undefined
      ? { _tag: "Nothing" }
      : yield* actionOf(context, order, { payment, fee, ledger })
  // Where one account pays both in coin, the fee was counted with the payment.
  if (source !== order.from || (payment?.contract !== null && !agrees)) {
    const channel = yield* readAccount(context.http, source, ledger)
    const spendable = channel === null ? 0n : spendableOf(channel, ledger)
    if (spendable < fee) return yield* insufficient(null, fee, spendable)
  }
  return {
    bytes: encodePayment(
      { source, sequence, fee, minTime, maxTime, memo: payment?.memo ?? null, action },
      context.networkPassphrase
    ),
    feeMax: fee,
    payments:
      payment !== undefined && (action._tag === "Pay" || action._tag === "Create")
        ? [{ ...payment, units: action.units }]
        : [],
    validUntil: maxTime * 1_000
  }
})
