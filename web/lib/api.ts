/** Requests to the program that served this page. All addresses are relative to the page. */

const TOKEN = "twofold-token"; // kept for this tab alone

/** An answer other than 2xx. `message` is what the server says of it. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

/** Who this page is to the server. */
export interface Me {
  roles: string[];
  tokens: boolean; // whether they are asked for
}

/** "": there is none any more. */
export function setToken(token: string): void {
  sessionStorage.setItem(TOKEN, token);
}

export function hasToken(): boolean {
  return Boolean(sessionStorage.getItem(TOKEN));
}

function headers(): Record<string, string> {
  const token = sessionStorage.getItem(TOKEN);
  return token ? { Authorization: `Bearer ${token}` } : {};
}

async function failure(response: Response): Promise<ApiError> {
  const text = await response.text();
  try {
    return new ApiError(response.status, JSON.parse(text).error);
  } catch {
    return new ApiError(response.status, text.trim() || response.statusText);
  }
}

async function ask(path: string, init: RequestInit): Promise<Response> {
  const response = await fetch(path, { ...init, cache: "no-store", credentials: "same-origin" });
  if (!response.ok) throw await failure(response);
  return response;
}

/** An answer whose body is read as it comes. */
export function openStream(path: string, signal: AbortSignal): Promise<Response> {
  return ask(path, { headers: { ...headers(), Accept: "text/event-stream" }, signal });
}

export async function getJson<T>(path: string): Promise<T> {
  return (await ask(path, { headers: headers() })).json();
}

async function post<T>(path: string, type: string, body: string): Promise<T> {
  return (await ask(path, { method: "POST", body, headers: { ...headers(), "Content-Type": type } })).json();
}

/** The empty object is the body: Content-Type is what no form of another page can send. */
export function postJson<T>(path: string): Promise<T> {
  return post(path, "application/json", "{}");
}

export function postYaml<T>(path: string, body: string): Promise<T> {
  return post(path, "application/yaml", body);
}

/** `error` as one line for people. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
