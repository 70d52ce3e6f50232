import { type Grants, layer as layerGrants } from "@bursar/core/grant/Grants"
import type { GrantStore } from "@bursar/core/grant/GrantStore"
import { Effect, Layer } from "effect"
import { trustOf } from "../config/grantRoot.ts"
import type { CommonSettings } from "../config/Settings.ts"

/** What verified grants say, where the settings have a root; nothing otherwise. */
export const layerGrantsOf = ({
  grantRoot
}: Pick<CommonSettings, "grantRoot">): Layer.Layer<Grants, never, GrantStore> | Layer.Layer<never> =>
  grantRoot === null ? Layer.empty : Layer.unwrap(Effect.map(trustOf(grantRoot), layerGrants))
