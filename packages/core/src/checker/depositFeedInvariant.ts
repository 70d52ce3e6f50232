import type { Deposit } from "../deposit/Deposit.ts"
import type { DepositStatus } from "../deposit/DepositMachine.ts"
import type { Json } from "../base/Json.ts"
import type { Event } from "../event/Event.ts"
import type { Invariant } from "./Invariant.ts"
import { shownAmount } from "./shownAmount.ts"

/** The events that tell of a deposit's moves, with the status that each tells. */
const toldStatus: Readonly<Record<string, DepositStatus>> = {
  "deposit.detected": "DETECTED",
  "deposit.confirmed": "CONFIRMED",
  "deposit.reorged": "REORGED"
}

/** What an event tells of a deposit and its row must show too. A block may come after the event. */
const differing = (deposit: Deposit, data: Event["data"]): string | undefined => {
  const shown: ReadonlyArray<readonly [string, Json]> = [
    ["status", deposit.status],
    ["network", deposit.network],
    ["address", deposit.address],
    ["tx_hash", deposit.txHash],
    ["transfer_index", deposit.transferIndex],
    ["historical", deposit.historical],
    ["amount_units", deposit.units.toString()],
    ["currency", deposit.currency],
    ...(data["block_number"] === null ? [] : [["block_number", deposit.block?.number ?? null] as const])
  ]
  return shown.find(([name, value]) => data[name] !== value)?.[0]
}

/** What never changes of a deposit. */
const constant = ["network", "tx_hash", "transfer_index"] as const

/** What changes of one only where it comes back in another block. */
const ofItsBlock = ["address", "historical", "amount_units", "currency"] as const

/** What an event tells of a deposit otherwise than the one before. */
const toldOtherwise = (before: Event["data"], data: Event["data"]): string | undefined =>
  [...constant, ...(before["status"] === "REORGED" ? [] : ofItsBlock)].find((name) => before[name] !== data[name])

/** The feed of deposits is whole. */
export const depositFeed: Invariant = {
  name: "deposit-feed",
  rule: "every change_seq from 1 to the tenant's counter was told by one event, every deposit shows what the latest told, and those before told the same of it, but of one that came back in another block",
  run: ({ head }) => {
    let told = 0
    return {
      event: ({ data, id, kind }) => {
        if (toldStatus[kind] === undefined) return undefined
        told += 1
        return data["change_seq"] === told
          ? undefined
          : `event ${id} tells change_seq ${String(data["change_seq"])} where ${told} was next`
      },
      finish: () =>
        told === head.changeSeq ? undefined : `the head counts ${head.changeSeq} changes, the events tell of ${told}`
    }
  },
  bySubject: ({ currencies }) => {
    /** What was told last of each deposit. */
    const last = new Map<string, Event["data"]>()
    /** What was told of the deposits that have not been seen. */
    const told = new Map<string, Array<Event["data"]>>()
    return {
      event: ({ data, id, kind, resourceId }) => {
        const status = toldStatus[kind]
        if (status === undefined) return undefined
        const ofDeposit = told.get(resourceId) ?? []
        told.set(resourceId, [...ofDeposit, data])
        if (data["status"] !== status) return `event ${id} is a ${kind} but tells of status ${String(data["status"])}`
        const before = last.get(resourceId)
        last.set(resourceId, data)
        if (data["amount"] !== shownAmount(currencies, data["amount_units"], data["currency"]))
          return `event ${id} tells of ${String(data["amount"])} and of ${String(data["amount_units"])} base units`
        const otherwise = before && toldOtherwise(before, data)
        if (otherwise !== undefined)
          return `event ${id} tells another ${otherwise} of deposit ${resourceId} than the one before`
        return data["deposit_id"] === resourceId
          ? undefined
          : `event ${id} names deposit ${resourceId} but tells of ${String(data["deposit_id"])}`
      },
      deposit: (deposit) => {
        const latest = told.get(deposit.id)?.find((data) => data["change_seq"] === deposit.changeSeq)
        told.delete(deposit.id)
        if (latest === undefined)
          return `deposit ${deposit.id} is ${deposit.status} at change_seq ${deposit.changeSeq}, which no event told`
        const field = differing(deposit, latest)
        return field === undefined
          ? undefined
          : `deposit ${deposit.id} shows another ${field} than the event of change_seq ${deposit.changeSeq}`
      },
      finish: () => {
        const [missing] = told.keys()
        return missing === undefined ? undefined : `events tell of deposit ${missing}, which does not exist`
      }
    }
  }
}
