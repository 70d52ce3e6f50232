import { FiatAccount } from "@bursar/core/account/FiatAccount"
import type { RecordDefinition } from "@bursar/core/engine/Records"
import { returnedOf } from "@bursar/core/operation/movedAmount"
import { isOver } from "@bursar/core/operation/OperationMachine"
import { Deposit } from "@bursar/core/deposit/Deposit"
import { Sweep } from "@bursar/core/sweep/Sweep"
import { WalletTransfer } from "@bursar/core/deposit/WalletTransfer"
import { OutboundTransaction } from "@bursar/core/transaction/OutboundTransaction"
import type { PartnerOfWorld } from "../people/letIn.ts"
import { operationsOf } from "../people/office.ts"
import type { World } from "../world/World.ts"
import { rests } from "./rests.ts"

const recordsOf = <A, K>({ state }: World, { id }: PartnerOfWorld, { name }: RecordDefinition<A, K>) => {
  // under a name stand records of that kind alone
  const all = (state.tenants.get(id)?.records.get(name) ?? new Map()) as ReadonlyMap<K, A>
  return [...all.values()]
}

/** What the service has to do for a partner yet. */
const openOf = (world: World, partner: PartnerOfWorld): ReadonlyArray<string> => {
  const { records, state } = world
  const operations = operationsOf(world, partner)
    .filter(({ status, unresolved }) => !isOver(status) || unresolved)
    .map(({ id, kind, status, unresolved }) => `${kind} ${id} is ${status}${unresolved ? " and unresolved" : ""}`)
  const sweeps = recordsOf(world, partner, Sweep)
    .filter(({ closedAt }) => closedAt === null)
    .map(({ id }) => `sweep ${id} is open`)
  // one that takes back what a sweep cannot move any more outlives its sweep, and its fee is booked when it is final
  const transactions = recordsOf(world, partner, OutboundTransaction)
    .filter((one) => one.endedAt === null && !rests(world, one))
    .map(({ id, phase }) => `the outbound transaction ${id} is ${phase}`)
  const deposits = recordsOf(world, partner, Deposit)
    .filter(({ status }) => status === "DETECTED")
    .map(({ id }) => `deposit ${id} is not confirmed`)
  const atWallets = recordsOf(world, partner, WalletTransfer)
    .filter(({ status }) => status === "DETECTED")
    .map(({ transferIndex, txHash }) => `output ${transferIndex} of ${txHash} to a wallet is not confirmed`)
  const accepted = new Set(
    (records.received[partner.index] ?? []).filter((one) => one.accepted).map(({ eventId }) => eventId)
  )
  const silent = (state.tenants.get(partner.id)?.events ?? [])
    .filter(({ id }) => !accepted.has(id))
    .map(({ id }) => `event ${id} of partner ${partner.index} was not delivered`)
  return [...operations, ...sweeps, ...transactions, ...deposits, ...atWallets, ...silent]
}

/** What the bank has done or will do, and the service does not know yet. */
const unheardOf = (world: World, partner: PartnerOfWorld): ReadonlyArray<string> => {
  const { bank, kernel } = world
  const operations = new Map(operationsOf(world, partner).map((operation) => [operation.id, operation]))
  const returns = bank.taken.flatMap((course) => {
    const operation = operations.get(course.order.reference)
    if (operation === undefined || course.fails) return []
    // it may have told too little, and tells the truth when it is asked again
    const isShort = operation.kind === "OFF_RAMP" && operation.toAmount?.units !== course.received.units
    if (isShort && operation.status === "SETTLED") return [`it is not known how much OFF_RAMP ${operation.id} paid out`]
    const whole = course.returns.at(-1)
    const told = (whole?.at ?? 0) <= kernel.now() && returnedOf(operation) === (whole?.units ?? 0n)
    return told ? [] : [`it is not known how much of ${operation.kind} ${operation.id} came back`]
  })
  const newest = new Map(bank.accounts.all().map(({ arrived, reference }) => [reference, arrived.at(-1)?.id ?? null]))
  const payments = recordsOf(world, partner, FiatAccount)
    .filter(({ id, lastIncoming }) => (newest.get(id) ?? null) !== lastIncoming)
    .map(({ id }) => `not all that was paid to account ${id} is known`)
  return [...returns, ...payments]
}

/** Whether the service has read the chain, and the one that there is: all but the newest blocks. */
const unreadOf = ({ chain, config, state }: World): ReadonlyArray<string> => {
  const cursor = state.networks.get(config.network)?.cursor
  const isRead =
    cursor !== undefined &&
    cursor.number + 1 >= chain.finalCount() &&
    chain.blocks()[cursor.number]?.hash === cursor.hash
  return isRead ? [] : [`of the chain it was read as far as block ${cursor?.number ?? "none"}`]
}

/** What is not at its end yet, in words; nothing where all is. */
export const pending = (world: World, partners: ReadonlyArray<PartnerOfWorld>): ReadonlyArray<string> => {
  const { chain, records } = world
  const unanswered = records.asked.filter(({ settled }) => !settled).map(({ key }) => `request ${key} has no answer`)
  const open = partners.flatMap((partner) => [...openOf(world, partner), ...unheardOf(world, partner)])
  const waiting = chain.mineable().map(({ hash }) => `transaction ${hash} waits for a block`)
  const settled = chain.blocks().slice(chain.finalCount())
  const fresh = settled.flatMap(({ transactions }) =>
    transactions.map(({ hash }) => `transaction ${hash} is not final`)
  )
  return [...unanswered, ...open, ...waiting, ...fresh, ...unreadOf(world)]
}
