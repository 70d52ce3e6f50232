import type { GrantMeans } from "@bursar/core/granting/grantEffect"
import type { ServerSettings } from "../config/ServerConfig.ts"
import { sealOf } from "./keySeal.ts"

/** What grants are carried out with by a service of these settings. */
export const grantMeans = ({ currencies, keyPepper }: ServerSettings): GrantMeans => ({
  currencies,
  sealKey: (key) => sealOf(keyPepper, key)
})
