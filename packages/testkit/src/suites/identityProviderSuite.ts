import { layer as layerTests } from "@effect/vitest"
import type { Layer } from "effect"
import { type SuiteOptions, timeoutOf } from "./harness.ts"
import { identityTests } from "./identity/identityTests.ts"
import type { IdentityFeature, IdentityWorld } from "./identity/IdentityWorld.ts"

/** Settings of the suite of an identity provider. */
export interface IdentityProviderSuiteOptions extends SuiteOptions {
  /** What the world can show. */
  readonly has: ReadonlyArray<IdentityFeature>
}

/**
 * What every IdentityProvider must do: one check for each customer however often it is opened, of a business as of one, a status with what
 * it allows, the last of several verdicts, and nothing concluded from silence.
 */
export const identityProviderSuite = (
  name: string,
  layer: Layer.Layer<IdentityWorld, unknown>,
  options: IdentityProviderSuiteOptions
): void => {
  const timeoutMs = timeoutOf(options)
  layerTests(layer, { excludeTestServices: true, timeout: timeoutMs })(`${name}: IdentityProvider`, (it) =>
    identityTests(it, options.has, timeoutMs)
  )
}
