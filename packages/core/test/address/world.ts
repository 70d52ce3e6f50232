import { issueAddresses } from "@bursar/core/address/issueAddresses"
import { type AddressItem, type ItemResult, registerAddresses } from "@bursar/core/address/registerAddresses"
import type { Command } from "@bursar/core/engine/Command"
import type { KeyedAddress } from "@bursar/core/engine/Directory"
import { Writer } from "@bursar/core/engine/Writer"
import * as WriterLive from "@bursar/core/engine/Writer"
import { presetNetworks } from "@bursar/core/money/presetNetworks"
import type { Network } from "@bursar/core/money/Network"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import * as Memory from "@bursar/memory"
import { accountNameAt, addressItem, newEvmAddress } from "@bursar/testkit/fixtures/deposits"
import { Effect, Layer } from "effect"

/** The storage ports and a writer. */
export const ports = WriterLive.layer.pipe(Layer.provideMerge(Memory.layer))

/** Submits a command. */
export const submit = <A>(tenant: TenantId, command: Command<A>) =>
  Effect.flatMap(Writer, (writer) => writer.submit(tenant, command))

/** The code with which a command is refused; null where it is not. */
export const refusalOf = <A>(tenant: TenantId, command: Command<A>) =>
  submit(tenant, command).pipe(
    Effect.as(null),
    Effect.catchTag("Refusal", ({ code }) => Effect.succeed(code))
  )

/** An address with a key whose names are told. */
export const addressOf = (key: string, address = newEvmAddress()): KeyedAddress => ({ address, keys: [`test:${key}`] })

/** Registers one address, and gives how that ended. */
export const registered = Effect.fnUntraced(function* (
  tenant: TenantId,
  { address, keys }: KeyedAddress,
  more: Partial<AddressItem> = {}
) {
  const [result] = yield* submit(tenant, registerAddresses([addressItem(address, { keys, ...more })]))
  return result ?? (yield* Effect.die(new Error("nothing was said of it")))
})

/** The address of a result, and in one word how it ended. */
export const said = (result: ItemResult) => (result.status === "refused" ? result.refusal.code : result.status)

/** Where addresses are issued from: each tenant's own account of its seed, unless told otherwise. */
export interface Issuing {
  readonly network: Network
  readonly from: number
  readonly count: number
  readonly seedId: string
  readonly accountKey: string
  readonly addresses: ReadonlyArray<KeyedAddress>
}

/** Issues addresses from an account of a seed. */
export const issuing = (more: Partial<Issuing> & Pick<Issuing, "addresses">) => {
  const {
    accountKey = "account",
    addresses,
    count = addresses.length,
    from = 0,
    network = "ethereum",
    seedId = "seed"
  } = more
  const prederived = { seedId, accountKey, accountName: accountNameAt(accountKey), from, addresses }
  return issueAddresses({ network, reference: "customer", count, prederived }, presetNetworks)
}
