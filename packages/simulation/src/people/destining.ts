import { toIso } from "@bursar/core/base/Timestamp"
import type { GrantValues, KindAndValues } from "@bursar/core/grant/GrantDocument"
import { policyValues } from "@bursar/core/grant/PolicyValues"
import { Tenants } from "@bursar/core/port/Tenants"
import { Effect } from "effect"
import type { Random } from "../kernel/Random.ts"
import type { World } from "../world/World.ts"
import type { PartnerOfWorld } from "./letIn.ts"

/** An hour in milliseconds: waiting times are whole hours. */
export const hourMs = 3_600_000

/** A grant of a destination. */
interface Destined {
  readonly kind: "destination"
  readonly values: GrantValues<"destination">
}

const uuidOf = (random: Random): string => {
  const digits = Buffer.from(random.bytes(16)).toString("hex")
  return [
    [0, 8],
    [8, 12],
    [12, 16],
    [16, 20],
    [20, 32]
  ]
    .map(([from, to]) => digits.slice(from, to))
    .join("-")
}

/** What is granted of destinations and of how long they cool, and the records of it. */
export const makeDestining = ({ config, kernel, network, records }: World, random: Random) => {
  const { destined } = records

  /** How long a partner's destinations cool by what was granted last. */
  const hoursOf = ({ index }: PartnerOfWorld): number =>
    destined.flatMap((one) => ("hours" in one && one.tenant === index ? [one.hours] : [])).at(-1) ?? 0

  /** A policy that differs in the waiting time alone. */
  const waiting = Effect.fnUntraced(function* ({ id }: PartnerOfWorld, hours: number) {
    const tenant = yield* (yield* Tenants).byId(id)
    if (tenant === undefined) return yield* Effect.die(new Error("the tenant is gone"))
    const policy = { ...tenant.policy, destinationCoolingHours: hours }
    return { kind: "policy", values: policyValues({ kind: tenant.kind, policy }) } satisfies KindAndValues
  })

  /** From when on the newest destination of a currency receives by its document. */
  const newestFrom = ({ index }: PartnerOfWorld, currency: string): number =>
    destined
      .flatMap((one) => ("address" in one && one.tenant === index && one.currency === currency ? [one.usableFrom] : []))
      .reduce((one, other) => Math.max(one, other), 0)

  /** Another destination. */
  const destination = (currency: string, usableFrom: number): Destined => ({
    kind: "destination",
    values: {
      id: uuidOf(random),
      currency,
      network: config.network,
      address: network.stranger(random),
      memo: null,
      label: "another",
      usable_from: toIso(usableFrom),
      state: "ACTIVE"
    }
  })

  /** Has something granted, and records it as of before, where it holds. */
  const recorded = Effect.fnUntraced(function* <E, R>(
    grant: Effect.Effect<boolean, E, R>,
    of: (at: number) => (typeof destined)[number]
  ) {
    const at = kernel.now()
    const holds = yield* grant
    if (holds) destined.push(of(at))
    return holds
  })

  const recordWait =
    ({ index }: PartnerOfWorld, hours: number) =>
    (at: number) => ({ tenant: index, at, hours })

  const recordAddress =
    ({ index }: PartnerOfWorld, { values: { address, currency, usable_from: usableFrom } }: Destined) =>
    (at: number) => ({ tenant: index, at, currency, address, usableFrom: Date.parse(usableFrom) })

  return { hoursOf, newestFrom, waiting, destination, recorded, recordWait, recordAddress }
}
