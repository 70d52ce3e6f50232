import { Context, type Effect, type Exit } from "effect"
import type { Command } from "./Command.ts"
import type { Refusal } from "../base/Refusal.ts"
import type { CommitContext } from "./runBatch.ts"
import type { TenantId } from "../tenant/Tenant.ts"
import type { StorageError, TenantUnknown } from "./StorageError.ts"

/**
 * Where a tenant's state is written. `commit` is one transaction under the lock of the tenant's head: it loads the
 * union of what the commands read (`collectReads`), runs them (`runBatch`), writes each kind of change as a set and
 * answers one exit per command, in order. A command that would write a text that cannot be stored fails by itself, as
 * unstorable, in every store alike (`runBatch`). Commits of one tenant are strictly serial over all processes; readers never
 * wait for them. It fails as a whole, having written nothing, and may be tried again. Claims of addresses that another
 * tenant took in the meantime, serialisation failures and deadlocks are tried again inside. A failure is `unstorable` only where
 * the store has refused what was written, or cannot read a record that was asked for, and nothing was committed for certain.
 */
export class Storage extends Context.Service<
  Storage,
  {
    readonly commit: (
      tenantId: TenantId,
      commands: ReadonlyArray<Command<unknown>>,
      context: CommitContext
    ) => Effect.Effect<ReadonlyArray<Exit.Exit<unknown, Refusal | StorageError>>, StorageError | TenantUnknown>
  }
>()("@bursar/core/port/Storage") {}
