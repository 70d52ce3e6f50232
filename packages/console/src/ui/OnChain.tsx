import { useRead } from "../api/hooks.ts"
import { Copied } from "./Copied.tsx"

/** The page of an explorer for what is looked up, or undefined where the network has none. */
const useExplorerPage = (network: string | null, what: "transaction" | "address", text: string): string | undefined => {
  const { data } = useRead(["networks"], (api) => api.health.networks())
  const explorer = data?.networks.find((one) => one.network === network)?.explorer
  // text from a chain or a partner stays one part of the path, whatever is in it
  return explorer?.[what].replace(/\{(?:hash|address)\}/u, () => encodeURIComponent(text))
}

/** A transaction or an address of a network: one click copies it, another leads to its explorer where it has one. */
export const OnChain = ({
  network,
  short = false,
  text,
  what
}: {
  readonly network: string | null
  readonly what: "transaction" | "address"
  readonly text: string
  readonly short?: boolean
}) => {
  const page = useExplorerPage(network, what, text)
  return (
    <span className="onchain">
      <Copied text={text} short={short} />
      {page === undefined ? null : (
        <a href={page} target="_blank" rel="noopener noreferrer" title={page} aria-label={`Look the ${what} up`}>
          {" ↗"}
        </a>
      )}
    </span>
  )
}
