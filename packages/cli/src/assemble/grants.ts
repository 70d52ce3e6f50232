import { type Grants, layer as layerGrants } from "@bursar/core/grant/Grants"
import type { GrantStore } from "@bursar/core/grant/GrantStore"
import { Effect, Layer } from "effect"
import type { CommandFailed } from "../config/CommandFailed.ts"
import { trustOf } from "../config/grantRoot.ts"
import type { WorkingSettings } from "../config/Settings.ts"
import { fileHeads } from "./fileHeads.ts"
import { checkNewRoot } from "./newRoot.ts"

/** Whoever lost the setting is to see it: the rest of the service goes on as before. */
const warnOfRows = Layer.effectDiscard(
  Effect.logWarning("grant.no_root").pipe(
    Effect.annotateLogs({ detail: "GRANT_ROOT is not set: rows of the database decide what is allowed" })
  )
)

/** What verified grants say, where the settings have a root; nothing otherwise. The ends of chains are remembered in the settings' file, if there is one. */
export const layerGrantsOf = ({
  grantHeads,
  grantRoot
}: Pick<WorkingSettings, "grantHeads" | "grantRoot">):
  | Layer.Layer<Grants, CommandFailed, GrantStore>
  | Layer.Layer<never> =>
  grantRoot === null
    ? warnOfRows
    : Layer.unwrap(
        Effect.gen(function* () {
          yield* checkNewRoot(grantRoot)
          const trust = yield* trustOf(grantRoot)
          return grantHeads === null ? layerGrants(trust) : layerGrants(trust, yield* fileHeads(grantHeads))
        })
      )
