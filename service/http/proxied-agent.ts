import { Agent, type Dispatcher, EnvHttpProxyAgent, Pool } from "undici";
import { FleetkeeperError } from "../contract/errors.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * An agent that goes through the proxies of HTTPS_PROXY and HTTP_PROXY, as curl and Node do, also in lower case. NO_PROXY
 * names the hosts that it reaches directly, as it always does those on this computer. `NODE_USE_ENV_PROXY=0` has it use none.
 * What it tunnels by CONNECT begins once the tunnel stands: until then nothing of a request has left. Throws CONFIG.
 */
export function proxiedAgent(options: Agent.Options, environment: Environment): Dispatcher {
  if (environment.NODE_USE_ENV_PROXY === "0") return new Agent(options);
  const value = (name: string) => environment[name.toLowerCase()] ?? environment[name] ?? "";
  const proxyOf = (name: string): string => {
    const said = value(name);
    const url = said === "" || said.includes("://") ? said : `http://${said}`;
    if (url === "" || /^https?:$/.test(URL.parse(url)?.protocol ?? "")) return url;
    throw new FleetkeeperError(
      "CONFIG",
      `${name} is no URL of an HTTP proxy. It is not shown, since a password may stand in it. Expected: http://HOST:PORT`,
    );
  };
  const [httpProxy, httpsProxy] = [proxyOf("HTTP_PROXY"), proxyOf("HTTPS_PROXY")];
  if (httpProxy + httpsProxy === "") return new Agent(options);
  const { connect = {} } = options;
  return new EnvHttpProxyAgent({
    ...options,
    ...{ httpProxy, httpsProxy },
    ...(typeof connect === "object" && { requestTls: connect, proxyTls: connect }),
    noProxy: `${value("NO_PROXY")},localhost,127.0.0.1,::1`,
    // Of the options the library gives a plain proxy's connections none.
    factory: (origin, more) => new Pool(origin, { ...options, ...more }),
  });
}
