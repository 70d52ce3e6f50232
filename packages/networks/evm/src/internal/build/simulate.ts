import { Clock, Effect } from "effect"
import type { ChainError } from "@bursar/core/port/Chain"
import type { Payment } from "@bursar/core/port/ChainSender"
import type { Rpc } from "../rpc/Rpc.ts"
import { inconsistent, toChainError } from "../rpc/NodeAnswer.ts"
import { type Call, callContract, estimateGas, isInsufficientFunds, isRevert } from "./contractCall.ts"
import { transferGas } from "./purpose.ts"
import { transferData } from "../rpc/tokenCall.ts"

/** What would come of a payment if it were made now. */
export type Simulation =
  | { readonly _tag: "Passes"; readonly gas: bigint }
  /** The receiver cannot be paid so. */
  | { readonly _tag: "ReceiverRefuses"; readonly detail: string }
  /** The contract lets the payer pay nobody. */
  | { readonly _tag: "ContractRefuses"; readonly detail: string }
  /** The payer has too little coin. */
  | { readonly _tag: "InsufficientFunds"; readonly detail: string }

/** Contracts that are known to have code: what has none answers a call with nothing, and that would read as success. */
export type Deployed = Set<string>

/** The most gas that a transfer of a contract was found to take lately, by the contract, and when that was. */
export type SeenGas = Map<string, { readonly gas: bigint; readonly at: number }>

/** After so long it is found anew, so that what grew cheaper is not paid for dearly. */
const gasSeenMs = 60_000

const requireCode = Effect.fnUntraced(function* (rpc: Rpc, deployed: Deployed, contract: string) {
  if (deployed.has(contract)) return
  const doing = `look for the contract ${contract}`
  const code = yield* rpc.ask(doing, "eth_getCode", [contract, "latest"])
  if (typeof code !== "string" || !/^0x[0-9a-f]{2,}$/iu.test(code)) {
    return yield* inconsistent(rpc.network, doing, "the node knows no contract there")
  }
  deployed.add(contract)
})

/** A transfer of a token, in its base units. */
interface TokenTransfer {
  readonly contract: string
  readonly from: string
  readonly to: string
  readonly units: bigint
}

/** Whether a transfer would pass, with so much gas where it is said: undefined, or in words why not. A contract that returns nothing, as USDT does, passes. */
export const transferFault = (rpc: Rpc, { contract, from, to, units }: TokenTransfer, gas?: bigint) =>
  callContract(rpc, `simulate a transfer of ${contract}`, {
    from,
    to: contract,
    data: transferData(to, units),
    ...(gas !== undefined && { gas })
  }).pipe(
    Effect.map((answer) =>
      answer === "0x" || (answer.length === 66 && BigInt(answer) === 1n) ? undefined : `it returns ${answer}`
    ),
    Effect.catchTag("NodeRefusal", (refusal) =>
      isRevert(refusal) ? Effect.succeed(refusal.detail) : Effect.fail(toChainError(rpc.network)(refusal))
    )
  )

const gasOf = (rpc: Rpc, call: Call): Effect.Effect<Simulation, ChainError> =>
  estimateGas(rpc, `simulate a payment to ${call.to}`, call).pipe(
    Effect.map((gas): Simulation => ({ _tag: "Passes", gas })),
    Effect.catchTag("NodeRefusal", (refusal) => {
      const { detail } = refusal
      if (isInsufficientFunds(refusal)) return Effect.succeed<Simulation>({ _tag: "InsufficientFunds", detail })
      return isRevert(refusal)
        ? Effect.succeed<Simulation>({ _tag: "ReceiverRefuses", detail })
        : Effect.fail(toChainError(rpc.network)(refusal))
    })
  )

/**
 * Whose fault it is that a transfer does not pass: asked of the transfer and of one from the payer to itself at the same
 * moment, because a contract may be paused in between.
 */
const diagnosed = Effect.fnUntraced(function* (rpc: Rpc, transfer: TokenTransfer) {
  const { contract, from } = transfer
  const [toReceiver, toItself] = yield* Effect.all(
    [transferFault(rpc, transfer), transferFault(rpc, { ...transfer, to: from })],
    { concurrency: "unbounded" }
  )
  if (toReceiver === undefined) {
    const doing = `simulate a transfer of ${contract}`
    return yield* inconsistent(rpc.network, doing, "it passes now and did not a moment ago")
  }
  const tag = toItself === undefined ? "ReceiverRefuses" : "ContractRefuses"
  return { _tag: tag, detail: toReceiver } satisfies Simulation
})

/** Whether a transfer passes with so much gas. Why it does not, if it does not, is for others to find: nodes say that it is too little in many ways. */
const passesWith = (rpc: Rpc, transfer: TokenTransfer, gas: bigint): Effect.Effect<boolean> =>
  Effect.match(transferFault(rpc, transfer, gas), { onFailure: () => false, onSuccess: (fault) => fault === undefined })

/** Gas with room for what changes until the transaction is executed; a plain transfer always takes the same. */
export const withRoom = (gas: bigint): bigint => (gas === transferGas ? gas : (gas * 13n) / 10n)

/** What it takes at most to write where nothing is stored instead of where something is (EIP-2200, EIP-2929: 17,100). */
const freshSlotGas = 20_000n

/** Gas with room also for a receiver of a token that has given away all of it by then. */
export const withRoomForEmptied = (gas: bigint): bigint => {
  const [room, slot] = [withRoom(gas), gas + freshSlotGas]
  return room > slot ? room : slot
}

/** What simulations of one sender remember. */
export interface SimulationMemory {
  readonly deployed: Deployed
  readonly seenGas: SeenGas
  /** The most gas that a payment may take: more is not remembered, or one odd answer would keep others from being paid. */
  readonly gasMax: bigint
}

/**
 * Lets the node execute a payment on the newest block: whether it would succeed, and the gas that it would take. To find the gas, a node executes
 * it again and again; so a transfer that passes with what one of the same contract was found to take lately is given as much.
 */
export const simulate = Effect.fnUntraced(function* (
  rpc: Rpc,
  { deployed, gasMax, seenGas }: SimulationMemory,
  from: string,
  payment: Pick<Payment, "to" | "contract" | "units"> | undefined
): Effect.fn.Return<Simulation, ChainError> {
  if (payment === undefined) return { _tag: "Passes", gas: transferGas }
  const { contract, to, units } = payment
  if (contract === null) return yield* gasOf(rpc, { from, to, value: units })
  const transfer = { contract, from, to, units }
  const now = yield* Clock.currentTimeMillis
  const seen = seenGas.get(contract)
  const isRecent = seen !== undefined && now >= seen.at && now - seen.at < gasSeenMs
  if (isRecent && (yield* passesWith(rpc, transfer, seen.gas))) return { _tag: "Passes", gas: seen.gas }
  const [, fault, gas] = yield* Effect.all(
    [
      requireCode(rpc, deployed, contract),
      transferFault(rpc, transfer),
      gasOf(rpc, { from, to: contract, data: transferData(to, units) })
    ],
    { concurrency: "unbounded" }
  )
  if (fault !== undefined || gas._tag === "ReceiverRefuses") return yield* diagnosed(rpc, transfer)
  const isNews = gas._tag === "Passes" && (!isRecent || gas.gas > seen.gas)
  if (isNews && withRoom(gas.gas) <= gasMax) seenGas.set(contract, { gas: gas.gas, at: now })
  return gas
})
