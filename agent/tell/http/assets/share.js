// Opens a share link. The secret stands behind the #, which no browser sends: so it is in no log of a proxy and in
// no referrer. It is handed over in a header, and kept in a cookie that no script can read.

const says = document.getElementById("share-says");

function enter(secret) {
  const request = new XMLHttpRequest();
  request.open("GET", "share");
  request.setRequestHeader("authorization", `Bearer ${secret}`);
  request.timeout = 20_000;
  request.onloadend = () => {
    // Not an entry of its own in the history: its address holds the secret.
    if (request.status === 204) location.replace("./");
    else
      says.textContent =
        request.status === 403
          ? "This link is over, or was taken back. Ask for a new one."
          : "There is no connection to the agent. Try again later.";
  };
  request.send();
}

function begin() {
  const secret = location.hash.slice(1);
  history.replaceState(null, "", "share");
  if (secret === "") says.textContent = "This link is not whole: what stands behind the # is missing.";
  else enter(secret);
}

// Another link that is opened in the same tab changes only what stands behind the #.
addEventListener("hashchange", () => {
  if (location.hash !== "") begin();
});
begin();
