import type { ReactNode } from "react"
import { Foreign } from "./Foreign.tsx"

/** What stands in a cell or beside a name. A plain text there can be of anybody: partners, their endpoints, providers, nodes. */
export const Shown = ({ children }: { readonly children: ReactNode }) =>
  typeof children === "string" ? <Foreign text={children} /> : children
