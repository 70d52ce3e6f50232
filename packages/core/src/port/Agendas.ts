import { Context, type Effect } from "effect"
import type { AgendaItem } from "../engine/Agenda.ts"
import type { Timestamp } from "../engine/Timestamp.ts"
import type { StorageError } from "./StorageError.ts"

/** What the processes of the worker have to do, over all tenants. It is written through the Writer alone. */
export class Agendas extends Context.Service<
  Agendas,
  {
    /** The items of a topic whose moment is not after `now`, the longest due first, at most `limit`. */
    readonly due: (
      topic: string,
      now: Timestamp,
      limit: number
    ) => Effect.Effect<ReadonlyArray<AgendaItem>, StorageError>
  }
>()("@bursar/core/port/Agendas") {}
