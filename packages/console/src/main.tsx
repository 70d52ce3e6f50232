import { QueryClient, QueryClientProvider } from "@tanstack/react-query"
import { StrictMode } from "react"
import { createRoot } from "react-dom/client"
import { App } from "./App.tsx"
// oxlint-disable-next-line import/no-unassigned-import -- the build makes a stylesheet of it
import "./styles/base.css"

// whatever the browser thinks of its connection: what cannot be asked now fails now, and is never asked later by itself
const networkMode = "always"

const queries = new QueryClient({
  defaultOptions: { queries: { networkMode, retry: false, staleTime: 2_000 }, mutations: { networkMode, retry: false } }
})

const root = document.getElementById("root")
if (root !== null)
  createRoot(root).render(
    <StrictMode>
      <QueryClientProvider client={queries}>
        <App />
      </QueryClientProvider>
    </StrictMode>
  )
