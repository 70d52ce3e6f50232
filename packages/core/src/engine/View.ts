import type { Account } from "../ledger/Account.ts"
import type { Balance } from "../ledger/Leg.ts"
import type { Network } from "../money/Network.ts"
import type { Tenant } from "../tenant/Tenant.ts"
import type { AddressOwner, KeyName, KeyOwner } from "./Directory.ts"
import type { Newest, RecordDefinition, SharedFact } from "./Records.ts"
import type { Timestamp } from "../base/Timestamp.ts"

/**
 * What a decider sees: one tenant's state as its command declared it (`Command.reads`), with the changes of earlier
 * commands of the same batch laid over it. Asking for something that was not declared is a bug and throws.
 */
export interface View {
  /** The moment of the batch; never earlier than the tenant's last. */
  readonly now: Timestamp
  readonly tenant: Tenant
  /** A new UUIDv7. */
  readonly newId: () => string
  /** Takes the next `change_seq` of the tenant. A number that is not used is given back. */
  readonly nextChangeSeq: () => number
  /** Takes the next event id of the tenant. A number that is not used is given back. */
  readonly nextEventId: () => number
  readonly balance: (account: Account, currency: string) => Balance
  /** The record of a key. One whose id the directory named may be asked for, too. */
  readonly get: <A, K>(of: RecordDefinition<A, K>, key: K) => A | undefined
  /** The records of a group, by their keys in ascending order. */
  readonly group: <A, K>(of: RecordDefinition<A, K>, group: string) => ReadonlyArray<A>
  /** The newest record of a group. */
  readonly newest: <A>(of: Newest<A>, group: string) => A | undefined
  readonly fact: <A>(of: SharedFact<A>, key: string) => A
  /** Whose an address is among all tenants, undefined where it is nobody's. */
  readonly addressOwner: (network: Network, address: string) => AddressOwner | undefined
  /** Whose a key is among all tenants, undefined where it is nobody's. */
  readonly keyOwner: (key: KeyName) => KeyOwner | undefined
}
