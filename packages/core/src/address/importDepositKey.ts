import { Result } from "effect"
import type { Change } from "../engine/Change.ts"
import type { Command } from "../engine/Command.ts"
import { Refusal } from "../engine/Refusal.ts"
import type { View } from "../engine/View.ts"
import type { Network } from "../money/Network.ts"
import { takenAddress } from "./candidates.ts"
import { type DepositAddress, serviceHoldsKey } from "./DepositAddress.ts"
import type { ImportedKey } from "./ImportedKey.ts"
import { putRecord } from "../engine/Records.ts"
import { holdOf } from "./sweepHold.ts"

/** A private key that the vault has unwrapped, compared with its address and sealed. */
export interface ImportDepositKey {
  readonly network: Network
  /** Canonical; the address of the key. */
  readonly address: string
  /** The id under which it was sealed. */
  readonly keyId: string
  readonly sealed: string
  /** The public side, in hexadecimal: compressed secp256k1, on stellar ed25519. */
  readonly publicKey: string
  readonly algorithm: string
  readonly sourceSystem: string | null
  readonly sourceReference: string | null
}

/** The address that the service has become the custodian of, and the key. */
export interface ImportedAddress {
  readonly address: DepositAddress
  readonly key: ImportedKey
}

/**
 * The address under its new custodian: a record of its own, because what arrived before stays booked on the tenant's own
 * side. The one it replaces is retired and nothing of its watch is lost.
 */
const replaced = (
  view: View,
  before: DepositAddress
): { readonly record: DepositAddress; readonly changes: ReadonlyArray<Change> } => {
  const record: DepositAddress = { ...before, id: view.newId(), origin: "IMPORTED", sweepHold: null }
  return {
    record,
    changes: [
      { _tag: "AddressPut", address: { ...before, retiredAt: view.now, watchNowUntil: null } },
      { _tag: "AddressPut", address: record },
      { _tag: "AddressClaimed", network: record.network, address: record.address, addressId: record.id }
    ]
  }
}

/**
 * Makes the service the custodian of an address.
 *
 * **Details**
 *
 * An address that the tenant watches already keeps its reference; one that it does not gets `sourceReference`, or itself, for
 * one. Sweeping is held (IMPORT) where the tenant's policy says so. Refused: another tenant's address (`address_unavailable`),
 * and one whose key the service holds already (`state_conflict`).
 */
export const importDepositKey = (command: ImportDepositKey): Command<ImportedAddress> => ({
  name: "ImportDepositKey",
  reads: [
    { _tag: "LiveAddress", network: command.network, address: command.address },
    { _tag: "Height", network: command.network }
  ],
  decide: (view) => {
    const { address, keyId, network, publicKey, sealed, ...origin } = command
    const live = view.liveAddress(network, address)
    if (live !== undefined && live.record === undefined) {
      return Result.fail(new Refusal({ code: "address_unavailable", message: "This address is not available." }))
    }
    if (live?.record !== undefined && serviceHoldsKey(live.record.origin)) {
      return Result.fail(
        new Refusal({ code: "state_conflict", message: "The service holds the key of this address already." })
      )
    }
    const { changes, record } =
      live?.record === undefined
        ? takenAddress(view, {
            network,
            address,
            reference: origin.sourceReference ?? address,
            origin: "IMPORTED",
            xpubId: null,
            seedId: null,
            derivationIndex: null,
            sweepHold: null
          })
        : replaced(view, live.record)
    const held: DepositAddress = view.tenant.policy.holdOnImport
      ? { ...record, sweepHold: holdOf("IMPORT", "Held when the key was imported.", view.now) }
      : record
    const key: ImportedKey = {
      ...origin,
      id: keyId,
      tenantId: view.tenant.id,
      addressId: record.id,
      network,
      address,
      createdAt: view.now
    }
    return Result.succeed({
      changes: [
        ...changes,
        { _tag: "AddressPut", address: held },
        putRecord("ImportedAddressKey", { network, address, keyId, publicKey }),
        {
          _tag: "KeyImported",
          key,
          sealed: { tenantId: view.tenant.id, id: keyId, kind: "IMPORTED", sealed, createdAt: view.now }
        }
      ],
      reply: { address: held, key }
    })
  }
})
