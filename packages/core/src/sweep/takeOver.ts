import { Array as Arr } from "effect"
import type { DepositAddress } from "../address/DepositAddress.ts"
import type { Deposit } from "../deposit/Deposit.ts"
import type { Change } from "../engine/Change.ts"
import type { Read } from "../engine/Read.ts"
import type { View } from "../engine/View.ts"
import type { AssetAccount } from "../ledger/Account.ts"
import { placeReads } from "../ledger/coverShortfall.ts"
import { of } from "../money/Amount.ts"
import type { CurrencyTable } from "../money/Currency.ts"
import type { Network } from "../money/Network.ts"
import { newOperation } from "../operation/newOperation.ts"
import { putSweepable } from "./addSweepable.ts"
import { putRecord } from "../engine/Records.ts"
import { unsweptImportsRead } from "../operation/UnsweptImports.ts"
import { countImports } from "./countImports.ts"
import { Operation } from "../operation/Operation.ts"

const byTenant = (network: Network): AssetAccount => `chain:${network}:tenant`
const byService = (network: Network): AssetAccount => `chain:${network}:deposits`

/** The balances that taking over addresses of a network, and of its siblings, touches. */
export const takeOverReads = (network: Network, currencies: CurrencyTable): ReadonlyArray<Read> =>
  currencies.networks
    .siblings(network)
    .flatMap((each) =>
      currencies.all
        .filter(({ asset }) => asset?.network === each)
        .flatMap(({ code: currency }): ReadonlyArray<Read> => [
          unsweptImportsRead(currency),
          ...placeReads(byTenant(each), currency),
          ...placeReads(byService(each), currency),
          { _tag: "Balance", account: "suspense", currency }
        ])
    )

/**
 * The deposits of one network and currency that are there still, as far as the books know, the newest first: what the tenant has moved
 * on by itself, to a place of the service, has left its side already.
 */
const standing = (view: View, deposits: ReadonlyArray<Deposit>): ReadonlyArray<Deposit> => {
  const [first] = deposits
  if (first === undefined) return []
  let left = view.balance(byTenant(first.network), first.currency).units
  return deposits
    .toSorted((one, other) => other.changeSeq - one.changeSeq)
    .filter(({ units }) => {
      if (units > left) return false
      left -= units
      return true
    })
}

/** Moves what was credited in one currency of a network to the service's side, in one entry. */
const move = (view: View, deposits: ReadonlyArray<Deposit>): ReadonlyArray<Change> => {
  const [first] = deposits
  if (first === undefined) return []
  const { currency, network } = first
  const units = deposits.reduce((sum, deposit) => sum + deposit.units, 0n)
  const operation = newOperation(view, {
    kind: "ADJUSTMENT",
    status: "SETTLED",
    amount: of(units, currency),
    network,
    settledAt: view.now,
    details: {
      reason: "The key of the address was handed over to the service.",
      taken_over: deposits.map(({ id }) => id)
    }
  })
  const leg = { currency, units, what: "adjustment" } as const
  return [
    putRecord(Operation, operation),
    {
      _tag: "Posted",
      operationId: operation.id,
      legs: [
        { ...leg, account: byService(network), direction: "DEBIT" },
        { ...leg, account: byTenant(network), direction: "CREDIT" }
      ]
    }
  ]
}

/**
 * Takes over what was confirmed on addresses whose keys the service has just been given: what was credited moves from the tenant's
 * side to the service's, in one entry for each network and currency, as far as it is there, and waits to be swept. `addresses` are the records
 * as they are now, `deposits` all that arrived on them. What is not confirmed follows its address when it is.
 */
export const takeOver = (
  view: View,
  currencies: CurrencyTable,
  addresses: ReadonlyArray<DepositAddress>,
  deposits: ReadonlyArray<Deposit>
): ReadonlyArray<Change> => {
  const byId = new Map(addresses.map((address) => [address.id, address]))
  const confirmed = deposits.filter(({ addressId, status }) => status === "CONFIRMED" && byId.has(addressId))
  const credited = confirmed.filter(({ creditedBy }) => creditedBy !== null)
  const groups = Object.values(Arr.groupBy(credited, ({ currency, network }) => `${network}|${currency}`))
  const taken = groups.map((group) => standing(view, group))
  const uncredited = confirmed.filter(({ creditedBy }) => creditedBy === null)
  // no sweep knows of them: the service had no key
  const noted = [...taken.flat(), ...uncredited].flatMap((deposit) => {
    const address = byId.get(deposit.addressId)
    return address === undefined ? [] : putSweepable(view, currencies, deposit, address, undefined)
  })
  return [...taken.flatMap((group) => move(view, group)), ...countImports(view, noted, () => undefined)]
}
