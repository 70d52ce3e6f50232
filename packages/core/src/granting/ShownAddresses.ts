import { Context, Effect, Layer, Metric, Schema } from "effect"
import { DepositAddress } from "../address/DepositAddress.ts"
import type { Replaceable } from "../address/registerAddresses.ts"
import type { StorageError } from "../engine/StorageError.ts"
import { type Ruling, rulingOf } from "../grant/Ruling.ts"
import type { NetworkTable } from "../money/Network.ts"
import type { Networks } from "../port/Networks.ts"
import type { Queries } from "../store/Queries.ts"
import type { TenantId } from "../tenant/Tenant.ts"
import {
  addressProblem,
  isReplaceable,
  type Judging,
  makeJudges,
  type ShownAddress,
  type ShownXpub,
  xpubsProblem
} from "./addressProblem.ts"

/** An address on a network, as a deposit or an event names it. */
export type NamedAddress = Pick<DepositAddress, "network" | "address">

/** An address does not follow from what it must follow from: nobody may be shown it, and somebody has to look. */
export class AddressForged extends Schema.TaggedError<AddressForged>()("AddressForged", {
  network: Schema.String,
  address: Schema.String,
  reason: Schema.String
}) {
  override get message(): string {
    return `${this.address} on ${this.network}: ${this.reason}`
  }
}

/** Who else is told of a forged address, beside whoever reads the logs: nobody where nothing is said. */
export const ForgeryLog = Context.Reference<(tenantId: TenantId, forged: AddressForged) => Effect.Effect<void>>(
  "@bursar/core/granting/ForgeryLog",
  { defaultValue: () => () => Effect.void }
)

/** The most addresses of all tenants that are remembered as verified. */
const rememberedMax = 100_000

/** How many addresses are looked up at a time. */
const lookedUpAtOnce = 8

const forgeries = Metric.counter("addresses_forged", {
  description: "Deposit addresses that were not shown because they are not what they must be: a person has to look",
  incremental: true
})

/**
 * Looks at deposit addresses before they are shown to a partner: one that the service issued must follow from the account that is granted, one
 * that was derived from the tenant's own registered key, and one whose key was imported from that key. Where the granted policy demands signatures
 * for keys or addresses, a registered one must follow from a request that a granted key has signed.
 *
 * **Details**
 *
 * A process without a root of grants compares with the stored account. What was verified is remembered for as long as the tenant's chain of
 * grants stays the same. Nothing can be said of an address that a tenant registered without a signature: it follows from nothing.
 */
export class ShownAddresses extends Context.Service<
  ShownAddresses,
  {
    /** Fails with the first that may not be shown, having called a person. */
    readonly verify: (
      tenantId: TenantId,
      shown: ReadonlyArray<ShownAddress>
    ) => Effect.Effect<void, AddressForged | StorageError>
    /** The same for addresses that are named without saying what they follow from: their records say it, and must be there. */
    readonly verifyNamed: (
      tenantId: TenantId,
      named: ReadonlyArray<NamedAddress>
    ) => Effect.Effect<void, AddressForged | StorageError>
    /** The same for the keys that a tenant has registered. */
    readonly verifyXpubs: (
      tenantId: TenantId,
      shown: ReadonlyArray<ShownXpub>
    ) => Effect.Effect<void, AddressForged | StorageError>
    /** The requests that count for nothing among those that the tenant's own records of some addresses name: another signed one may take their place. */
    readonly replaceable: (
      tenantId: TenantId,
      addresses: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<Replaceable>, StorageError>
    /** Calls a person for an address that somebody else has found to be forged. */
    readonly alarm: (tenantId: TenantId, forged: AddressForged) => Effect.Effect<void>
  }
>()("@bursar/core/granting/ShownAddresses") {}

// as JSON, because rows say what addresses and seeds read like: none of them may read like another with what it follows from
const nameOf = ({ address, network }: NamedAddress): string => JSON.stringify([network, address])

const textOf = (shown: ShownAddress): string => {
  const { address, derivationIndex, network, origin, registrations, seedId, xpubId } = shown
  return JSON.stringify([network, address, origin, seedId, xpubId, derivationIndex, registrations])
}

/** What stands for the chains that something was verified by. */
const headOf = (ruling: Ruling): string =>
  ruling === undefined ? "rows" : "_tag" in ruling ? "broken" : `${ruling.fleet.head.hash}|${ruling.tenant.head.hash}`

/** What was verified, by tenants, for as long as nothing is appended to the chains that it was verified by. */
const makeMemory = () => {
  const known = new Map<TenantId, { readonly head: string; readonly names: Set<string> }>()
  let size = 0
  const of = (tenantId: TenantId, head: string): Set<string> => {
    const found = known.get(tenantId)
    if (found?.head === head) return found.names
    size -= found?.names.size ?? 0
    const names = new Set<string>()
    known.set(tenantId, { head, names })
    return names
  }
  const add = (names: Set<string>, name: string): void => {
    if (size >= rememberedMax) {
      for (const one of known.values()) one.names.clear()
      size = 0
    }
    names.add(name)
    size += 1
  }
  return { of, add }
}

const logForgery = (tenantId: TenantId, { address, network, reason }: AddressForged): Effect.Effect<void> =>
  Effect.andThen(
    Metric.update(Metric.withAttributes(forgeries, { network }), 1),
    Effect.logError("address.forged").pipe(Effect.annotateLogs({ tenant: tenantId, network, address, reason }))
  )

/** Looks at the addresses of tenants, with a memory of its own. */
export const make = Effect.fnUntraced(function* (table: NetworkTable) {
  const judges = yield* makeJudges(table)
  const memory = makeMemory()
  const tell = yield* ForgeryLog
  const alarm: ShownAddresses["Service"]["alarm"] = (tenantId, forged) =>
    Effect.andThen(logForgery(tenantId, forged), tell(tenantId, forged))

  const refuse = Effect.fnUntraced(function* (tenantId: TenantId, { address, network }: NamedAddress, reason: string) {
    const forged = new AddressForged({ network, address, reason })
    yield* alarm(tenantId, forged)
    return yield* forged
  })

  const problemOf = Effect.fnUntraced(function* (judging: Judging, names: Set<string>, shown: ShownAddress) {
    const name = textOf(shown)
    if (names.has(name)) return undefined
    const problem = yield* addressProblem(judges, judging, shown)
    if (problem === undefined) memory.add(names, name)
    return problem
  })

  const judgeOne = Effect.fnUntraced(function* (judging: Judging, names: Set<string>, shown: ShownAddress) {
    const problem = yield* problemOf(judging, names, shown)
    if (problem !== undefined) yield* refuse(judging.tenantId, shown, problem)
  })

  /** The tenant's own records of an address say what it follows from. One of them is enough: an address is named, and no record. */
  const judgeNamed = Effect.fnUntraced(function* (judging: Judging, names: Set<string>, named: NamedAddress) {
    const name = nameOf(named)
    if (names.has(name)) return
    const { tenantId } = judging
    const found = yield* judges.queries.records(tenantId, DepositAddress, named.address)
    let reason = "it is no address of the tenant"
    for (const shown of found.filter(({ network }) => network === named.network)) {
      const problem = yield* problemOf(judging, names, shown)
      if (problem === undefined) return memory.add(names, name)
      reason = problem
    }
    yield* refuse(tenantId, named, reason)
  })

  const judging = Effect.fnUntraced(function* (tenantId: TenantId) {
    const ruling = yield* rulingOf(tenantId)
    return { judging: { tenantId, ruling }, names: memory.of(tenantId, headOf(ruling)) }
  })

  return ShownAddresses.of({
    alarm,
    verify: Effect.fn("ShownAddresses.verify")(function* (tenantId, shown) {
      if (shown.length === 0) return
      const { judging: by, names } = yield* judging(tenantId)
      yield* Effect.forEach(shown, (one) => judgeOne(by, names, one), { discard: true })
    }),
    verifyXpubs: Effect.fn("ShownAddresses.verifyXpubs")(function* (tenantId, shown) {
      if (shown.length === 0) return
      const { judging: by } = yield* judging(tenantId)
      const found = yield* xpubsProblem(judges, by, shown)
      if (found !== undefined) yield* refuse(tenantId, found, found.reason)
    }),
    verifyNamed: Effect.fn("ShownAddresses.verifyNamed")(function* (tenantId, named) {
      if (named.length === 0) return
      const { judging: by, names } = yield* judging(tenantId)
      yield* Effect.forEach(named, (one) => judgeNamed(by, names, one), { discard: true })
    }),
    replaceable: Effect.fn("ShownAddresses.replaceable")(function* (tenantId, addresses) {
      const by = { tenantId, ruling: yield* rulingOf(tenantId) }
      const found = yield* Effect.forEach(
        new Set(addresses),
        (address) => judges.queries.records(tenantId, DepositAddress, address),
        { concurrency: lookedUpAtOnce }
      )
      const named = found
        .flat()
        .filter(({ origin }) => origin === "REGISTERED")
        .flatMap((record) => record.registrations.map((one) => ({ ...record, registrations: [one] as const })))
      // request by request: more of them than are remembered would be read and verified anew for each record
      const byRequest = [...Map.groupBy(named, ({ registrations: [{ id }] }) => id).values()].flat()
      const gone = yield* Effect.filter(byRequest, (one) => isReplaceable(judges, by, one))
      return gone.map(({ id: addressId, registrations: [{ id }] }) => ({ addressId, registrationId: id }))
    })
  })
})

/** Looks at the addresses of tenants on the networks of a table. */
export const layer = (table: NetworkTable): Layer.Layer<ShownAddresses, never, Networks | Queries> =>
  Layer.effect(ShownAddresses, make(table))
