import { missingProof, proofReads } from "../deposit/awaitProof.ts"
import { keyReads, keyAvailability } from "../address/keyAvailability.ts"
import { Result } from "effect"
import type { Change } from "../engine/Change.ts"
import type { Command } from "../engine/Command.ts"
import { Refusal } from "../base/Refusal.ts"
import type { View } from "../engine/View.ts"
import type { Network, NetworkTable } from "../money/Network.ts"
import type { CurrencyTable } from "../money/Currency.ts"
import type { Read } from "../engine/Read.ts"
import { takeOver, takeOverReads } from "../sweep/takeOver.ts"
import { issuedAddress } from "../address/prederivedAddresses.ts"
import type { KeyName } from "../engine/Directory.ts"
import { Deposit } from "../deposit/Deposit.ts"
import { UnprovenDeposit } from "../deposit/UnprovenDeposit.ts"
import { addressSubject } from "../address/AddressProof.ts"
import { DepositAddress, serviceHoldsKey } from "../address/DepositAddress.ts"
import { ImportedKey } from "../address/ImportedKey.ts"
import { SealedKey } from "../port/SealedKey.ts"
import { putRecord, readFact, readGroup } from "../engine/Records.ts"
import { holdOf } from "../address/holdOf.ts"
import { refuseReach } from "../environment/reach.ts"
import { liveAddress, ownRecords } from "../address/owners.ts"
import { depositsAt } from "../deposit/depositsAt.ts"
import { networkHeight } from "../address/networkHeight.ts"
import { ImportedAddressKey } from "../sweep/ImportedAddressKey.ts"

/** A private key that the vault has unwrapped, compared with its address and sealed. */
export interface ImportDepositKey {
  readonly network: Network
  /** Canonical; the address of the key. */
  readonly address: string
  /** The names of the key, in all forms that it is good for. */
  readonly keys: ReadonlyArray<KeyName>
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

/** The tenant's record with its key in the service's hands. It stays the same record, so all that was found on it stays with it. */
const handedOver = (view: View, before: DepositAddress): DepositAddress => ({
  ...before,
  origin: "IMPORTED",
  sweepHold:
    before.retiredAt === null && view.tenant.policy.holdOnImport
      ? holdOf("IMPORT", "Held when the key was imported.", view.now)
      : null
})

const refuse = (code: "address_unavailable" | "state_conflict", message: string) =>
  Result.fail(new Refusal({ code, message }))

/** Why the tenant cannot hand over the key; undefined where it can. */
const objection = (
  view: View,
  { address, keys, network }: ImportDepositKey,
  own: ReadonlyArray<DepositAddress>,
  networks: NetworkTable
) => {
  const foreign = networks.siblings(network).some((each) => {
    const live = liveAddress(view, each, address)
    return live !== undefined && live.record === undefined
  })
  if (foreign || keyAvailability(view, keys)._tag === "Unavailable")
    return refuse("address_unavailable", "This address is not available.")
  const family = networks.of(network).family
  // nobody can prove it any more once the service has its key
  const movedOn = view.group(UnprovenDeposit, addressSubject(family, address)).some((one) => one.waits)
  const waits = depositsAt(view, address).some(({ addressId, creditedBy, status }) => {
    const record = own.find(({ id }) => id === addressId)
    return (
      status === "CONFIRMED" &&
      creditedBy === null &&
      record !== undefined &&
      missingProof(view, record, networks) !== undefined
    )
  })
  if (waits || movedOn)
    return refuse("state_conflict", "Deposits on this address, or from it, wait for a proof; prove it first.")
  return own.some(({ origin, retiredAt }) => origin === "ISSUED" || (origin === "IMPORTED" && retiredAt === null))
    ? refuse("state_conflict", "The service holds the key of this address already.")
    : undefined
}

/**
 * Makes the service the custodian of an address.
 *
 * **Details**
 *
 * The key is good wherever the address is, so all records that the tenant has of it, on siblings too and retired ones, become
 * IMPORTED, and what was found on them follows: what is confirmed later is booked on the service's side, what was confirmed before
 * moves there at once, and all of it is swept. An address that the tenant watches already keeps its reference; one that it does not
 * gets `sourceReference`, or itself, for one. Sweeping is held (IMPORT) where the tenant's policy says so. Refused: a network of another
 * environment (`product_not_enabled`), a key that is another tenant's in whichever form (`address_unavailable`), one that the service
 * holds already, and one whose address has to be proven for confirmed deposits that wait, there or where they were moved to (`state_conflict`).
 */
export const importDepositKey = (command: ImportDepositKey, currencies: CurrencyTable): Command<ImportedAddress> => ({
  name: "ImportDepositKey",
  reads: [
    ...currencies.networks
      .siblings(command.network)
      .map((network): Read => ({ _tag: "LiveAddress", network, address: command.address })),
    readGroup(DepositAddress, command.address),
    readGroup(Deposit, command.address),
    readFact(networkHeight, command.network),
    ...keyReads(command.keys),
    ...proofReads({ ...command, fromAddress: null }, currencies.networks),
    readGroup(UnprovenDeposit, addressSubject(currencies.networks.of(command.network).family, command.address)),
    ...takeOverReads(command.network, currencies)
  ],
  decide: (view) => {
    const { address, keyId, keys, network, publicKey, sealed, ...origin } = command
    const own = ownRecords(view, address)
    const foreign = refuseReach(view.tenant, currencies.networks.of(network))
    if (foreign !== undefined) return Result.fail(foreign)
    const refusal = objection(view, command, own, currencies.networks)
    if (refusal !== undefined) return refusal
    const taken = own.filter((record) => !serviceHoldsKey(record.origin)).map((record) => handedOver(view, record))
    const live = taken.filter(({ retiredAt }) => retiredAt === null)
    const watched = live.find((record) => record.network === network)
    const added =
      watched === undefined
        ? issuedAddress(
            view,
            {
              network,
              address,
              reference: live[0]?.reference ?? origin.sourceReference ?? address,
              origin: "IMPORTED",
              xpubId: null,
              seedId: null,
              derivationIndex: null,
              sweepHold: view.tenant.policy.holdOnImport
                ? holdOf("IMPORT", "Held when the key was imported.", view.now)
                : null
            },
            keys
          )
        : undefined
    const record = watched ?? added?.record
    if (record === undefined) throw new Error("an imported address has a record")
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
        ...taken.map((one): Change => putRecord(DepositAddress, one)),
        ...(added?.changes ?? []),
        { _tag: "KeysClaimed", keys, holder: "SERVICE", by: record.id },
        ...takeOver(view, currencies, taken, depositsAt(view, address)),
        putRecord(ImportedAddressKey, {
          network,
          family: currencies.networks.of(network).family,
          address,
          keyId,
          publicKey
        }),
        putRecord(SealedKey, { tenantId: view.tenant.id, id: keyId, kind: "IMPORTED", sealed, createdAt: view.now }),
        putRecord(ImportedKey, key)
      ],
      reply: { address: record, key }
    })
  }
})
