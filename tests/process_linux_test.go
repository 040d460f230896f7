// SPDX-License-Identifier: Apache-2.0

package tests

import (
	"bufio"
	"bytes"
	"context"
	"flag"
	"fmt"
	"maps"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"runtime/pprof"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	paimon "github.com/apache/paimon-rust/bindings/go"
)

// processors is set by tests/cgroup.sh. Go's own number knows no quota, so without it fewer threads than that are right too.
var processors = flag.Int("processors", 0, "how many processors this process may use, if that is known")

// busy reads a table in some goroutines until the function it gives is called, which gives how often it was read.
func busy(t *testing.T) (done func() int64) {
	t.Helper()
	_, table := newTable(t, people, func(s *paimon.Schema) { s.Options = map[string]string{"read.batch-size": "7"} })
	var rows []person
	for i := range 100 {
		rows = append(rows, person{int32(i), fmt.Sprint("name ", i)})
	}
	appendRows(t, table, goMemory, rows...)
	var stop atomic.Bool
	var reads atomic.Int64
	var group sync.WaitGroup
	for range 3 {
		group.Go(func() {
			for !stop.Load() {
				if err := readPeople(table, rows); err != nil {
					t.Error(err)
					return
				}
				reads.Add(1)
			}
		})
	}
	return func() int64 {
		stop.Store(true)
		group.Wait()
		return reads.Load()
	}
}

// readPeople reads a table and compares it. It may be called off the test's goroutine.
func readPeople(table *paimon.Table, want []person) error {
	builder, err := table.NewReadBuilder()
	if err != nil {
		return err
	}
	defer builder.Close()
	reader, err := readerOf(builder)
	if err != nil {
		return err
	}
	defer reader.Close()
	seen := 0
	for batch, err := range reader.All() {
		if err != nil {
			return err
		}
		for i := range int(batch.NumRows()) {
			if got := batch.Column(1).ValueStr(i); got != want[seen].name {
				return fmt.Errorf("row %d is %q", seen, got)
			}
			seen++
		}
		batch.Release()
	}
	if seen != len(want) {
		return fmt.Errorf("%d rows of %d", seen, len(want))
	}
	return nil
}

// A thread is one of this process.
type thread struct {
	id      int
	name    string
	blocked uint64 // signal n is bit n-1
}

func (h thread) native() bool { return strings.HasPrefix(h.name, "paimon") }

func threads(t *testing.T) []thread {
	t.Helper()
	folders, err := filepath.Glob("/proc/self/task/*")
	must(t, err)
	var all []thread
	for _, folder := range folders {
		status, err := os.ReadFile(filepath.Join(folder, "status"))
		if err != nil { // it has ended
			continue
		}
		var h thread
		h.id, err = strconv.Atoi(filepath.Base(folder))
		must(t, err)
		for line := range strings.Lines(string(status)) {
			key, value, _ := strings.Cut(strings.TrimSpace(line), ":\t")
			switch key {
			case "Name":
				h.name = value
			case "SigBlk":
				h.blocked, err = strconv.ParseUint(value, 16, 64)
				must(t, err)
			}
		}
		all = append(all, h)
	}
	return all
}

// Signals that are sent to the native threads end nothing, even those that would by default.
func TestSignalsAtNativeThreads(t *testing.T) {
	checkLeaks(t)
	_, orc := newTable(t, people, func(s *paimon.Schema) {
		s.Options = map[string]string{"file.format": "orc", "file.compression": "none"}
	})
	appendRows(t, orc, goMemory, person{1, "one"}) // starts threads that the engine keeps
	done := busy(t)
	defer done()
	// Not SIGHUP, SIGINT and SIGTERM: they end a Go program wherever they arrive.
	sent, kinds := 0, []syscall.Signal{
		syscall.SIGUSR1, syscall.SIGUSR2, syscall.SIGPIPE, syscall.SIGALRM, syscall.SIGCHLD, syscall.SIGURG, syscall.SIGXCPU,
		syscall.SIGVTALRM, syscall.SIGPROF, syscall.SIGWINCH, syscall.SIGIO,
	}
	for range 50 * *stress {
		for _, h := range threads(t) {
			if !h.native() {
				continue
			}
			for _, kind := range kinds {
				if kind != syscall.SIGPROF && h.blocked&(1<<(kind-1)) == 0 {
					t.Fatalf("thread %q would get %v, its mask is %x", h.name, kind, h.blocked)
				}
				if unix.Tgkill(os.Getpid(), h.id, kind) == nil { // else it has ended
					sent++
				}
			}
		}
	}
	reads := done()
	t.Logf("%d signals sent, %d reads", sent, reads)
	if sent == 0 || reads == 0 {
		t.Error("nothing was tried")
	}
}

// Signals that Go ignores when nobody asked for them are ignored, however many come, while native threads start and end. The kernel
// gives one to any thread that takes it.
func TestSignalsThatGoIgnores(t *testing.T) {
	checkLeaks(t)
	ctx, cancel := context.WithTimeout(t.Context(), time.Duration(*stress)*500*time.Millisecond)
	defer cancel()
	var sent atomic.Int64
	var group sync.WaitGroup
	for _, kind := range []syscall.Signal{syscall.SIGUSR1, syscall.SIGUSR2, syscall.SIGALRM, syscall.SIGPIPE} {
		group.Go(func() {
			for ; ctx.Err() == nil; sent.Add(1) {
				if err := syscall.Kill(os.Getpid(), kind); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	rounds := 0
	for warehouse := t.TempDir(); ctx.Err() == nil; rounds++ {
		catalog, err := paimon.NewCatalog(map[string]string{"warehouse": warehouse})
		must(t, err)
		must(t, catalog.CreateDatabase("db", nil, true))
		catalog.Close()
	}
	group.Wait()
	t.Logf("%d signals, %d catalogs", sent.Load(), rounds)
}

// The program's own handlers get every signal while native calls run, and the calls do not notice.
func TestHandlersRunDuringCalls(t *testing.T) {
	checkLeaks(t)
	done := busy(t)
	kinds := []os.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGUSR1, syscall.SIGALRM, syscall.SIGPIPE, syscall.SIGCHLD}
	received := make(chan os.Signal, 1)
	signal.Notify(received, kinds...)
	defer signal.Stop(received)
	for range 20 * *stress {
		for _, kind := range kinds {
			must(t, syscall.Kill(os.Getpid(), kind.(syscall.Signal)))
			for {
				var got os.Signal
				select {
				case got = <-received:
				case <-time.After(10 * time.Second):
					t.Fatalf("%v did not arrive", kind)
				}
				if got == syscall.SIGCHLD && kind != got {
					continue // a child of an earlier test has ended
				}
				if got != kind {
					t.Errorf("got %v, sent %v", got, kind)
				}
				break
			}
		}
		ctx, stop := signal.NotifyContext(t.Context(), syscall.SIGINT)
		must(t, syscall.Kill(os.Getpid(), syscall.SIGINT))
		select {
		case <-ctx.Done():
		case <-time.After(10 * time.Second):
			t.Fatal("the context does not end")
		}
		stop()
		<-received
	}
	if reads := done(); reads == 0 {
		t.Error("nothing was read")
	}
}

// Reads go on under a CPU profile, while every thread gets the signal by which Go preempts, and children start and end.
func TestSignalStorm(t *testing.T) {
	checkLeaks(t)
	var profile bytes.Buffer
	must(t, pprof.StartCPUProfile(&profile))
	done := busy(t)
	ctx, cancel := context.WithTimeout(t.Context(), time.Duration(*stress)*time.Second)
	defer cancel()
	var sent, children int
	var group sync.WaitGroup
	group.Go(func() {
		for ; ctx.Err() == nil; children++ {
			if err := exec.Command("/bin/true").Run(); err != nil {
				t.Error(err)
				return
			}
		}
	})
	for ctx.Err() == nil {
		for _, h := range threads(t) {
			for range 20 {
				if unix.Tgkill(os.Getpid(), h.id, syscall.SIGURG) == nil {
					sent++
				}
			}
		}
	}
	group.Wait()
	reads := done()
	pprof.StopCPUProfile()
	t.Logf("%d signals, %d children, %d reads, %d bytes of profile", sent, children, reads, profile.Len())
	if sent == 0 || children == 0 || reads == 0 || profile.Len() == 0 {
		t.Error("something was not tried")
	}
}

// A server that hangs up while a request is being sent gives an error. The write to the dead connection raises SIGPIPE.
func TestServerHangsUp(t *testing.T) {
	checkLeaks(t)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	defer func() { _ = listener.Close() }()
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go hangUpOnPost(conn.(*net.TCPConn))
		}
	}()
	catalog, err := paimon.NewCatalog(map[string]string{
		"metastore": "rest", "uri": "http://" + listener.Addr().String(), "warehouse": "w", "token.provider": "bear", "token": "x",
	})
	must(t, err)
	defer catalog.Close()
	large := map[string]string{"comment": strings.Repeat("x", 32<<20)}
	for range 5 * *stress {
		if err := catalog.CreateDatabase("db", large, false); err == nil || strings.Contains(err.Error(), "xxx") {
			t.Fatalf("%.200v", err)
		}
	}
}

// hangUpOnPost answers a client until it posts something, and then closes without reading it, which resets the connection.
func hangUpOnPost(conn *net.TCPConn) {
	defer func() { _ = conn.Close() }()
	r := bufio.NewReader(conn)
	for {
		request, err := http.ReadRequest(r)
		if err != nil {
			return
		}
		if request.Method == http.MethodPost {
			_ = conn.CloseWrite()
			return
		}
		const body = `{"defaults":{},"overrides":{}}`
		_, err = fmt.Fprintf(conn, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
		if err != nil {
			return
		}
	}
}

// inherited are the descriptors that this process got from its parent and would pass on.
var inherited = inheritable()

func inheritable() []int {
	var list []int
	for fd := range 1024 {
		flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0)
		if err == nil && flags&unix.FD_CLOEXEC == 0 {
			list = append(list, fd)
		}
	}
	return list
}

// Children that start while tables are read inherit none of the descriptors, from os/exec or from ForkExec.
func TestChildrenInheritNothing(t *testing.T) {
	checkLeaks(t)
	done := busy(t)
	ls, err := exec.LookPath("ls")
	must(t, err)
	ways := map[string]func() (string, error){
		"os/exec": func() (string, error) {
			out, err := exec.Command(ls, "/proc/self/fd").Output()
			return string(out), err
		},
		"ForkExec": func() (string, error) { return forkExec(ls, "/proc/self/fd") },
	}
	var children atomic.Int64
	var group sync.WaitGroup
	for name, way := range ways {
		for range 2 {
			group.Go(func() {
				for range 25 * *stress {
					out, err := way()
					if err != nil {
						t.Errorf("%s: %v", name, err)
						return
					}
					children.Add(1)
					extra := 0
					for _, field := range strings.Fields(out) {
						fd, err := strconv.Atoi(field)
						if err != nil {
							t.Errorf("%s: %q", name, out)
						} else if fd > 2 && !slices.Contains(inherited, fd) {
							extra++ // one is of ls itself
						}
					}
					if extra != 1 {
						t.Errorf("%s: a child has the descriptors %q", name, strings.Fields(out))
					}
				}
			})
		}
	}
	for range 100 {
		if got := inheritable(); !slices.Equal(got, inherited) {
			t.Errorf("descriptors %v would be passed on, %v were found at the start", got, inherited)
			break
		}
	}
	group.Wait()
	t.Logf("%d children, %d reads", children.Load(), done())
}

// forkExec runs a program without os/exec and gives its output.
func forkExec(program string, arguments ...string) (string, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return "", err
	}
	defer r.Close()
	defer w.Close()
	pid, err := syscall.ForkExec(program, append([]string{program}, arguments...), &syscall.ProcAttr{
		Files: []uintptr{0, w.Fd(), 2},
		Sys:   &syscall.SysProcAttr{Setsid: true},
	})
	if err != nil {
		return "", err
	}
	w.Close()
	out := make([]byte, 4096)
	n, readErr := r.Read(out)
	var status syscall.WaitStatus
	if _, err := syscall.Wait4(pid, &status, 0, nil); err != nil {
		return "", err
	}
	if status != 0 {
		return "", fmt.Errorf("status %v", status)
	}
	return string(out[:n]), readErr
}

// A process that replaces itself by exec while it has handles open leaves nothing to the new program, which opens the table anew.
func TestReExec(t *testing.T) {
	const variable = "PAIMON_TEST_REEXEC"
	warehouse, steps := os.Getenv(variable), 2
	if warehouse == "" {
		checkLeaks(t)
		warehouse = t.TempDir()
		catalog := openCatalog(t, warehouse)
		must(t, catalog.CreateDatabase("db", nil, false))
		schema, err := paimon.SchemaFromArrow(people)
		must(t, err)
		id := paimon.NewIdentifier("db", "t")
		must(t, catalog.CreateTable(id, schema, false))
		appendRows(t, openTable(t, catalog, id), goMemory, person{1, "one"})
		child := exec.Command(os.Args[0], "-test.run=^TestReExec$", "-test.v")
		child.Env = append(os.Environ(), variable+"="+strings.Repeat("+", steps)+warehouse)
		out, err := child.CombinedOutput()
		if err != nil || strings.Count(string(out), "read in process") != steps+1 {
			t.Errorf("%v:\n%s", err, out)
		}
		return
	}
	name := strings.TrimLeft(warehouse, "+")
	links, err := filepath.Glob("/proc/self/fd/*")
	must(t, err)
	for _, link := range links {
		if target, err := os.Readlink(link); err == nil && (strings.Contains(target, "memfd") || strings.HasPrefix(target, name)) {
			t.Errorf("descriptor %s is %s", link, target)
		}
	}
	catalog, err := paimon.NewCatalog(map[string]string{"warehouse": name})
	must(t, err)
	table, err := catalog.GetTable(paimon.NewIdentifier("db", "t"))
	must(t, err)
	wantRows(t, table, "1 one")
	fmt.Println("read in process", os.Getpid())
	if warehouse != name {
		must(t, os.Setenv(variable, warehouse[1:]))
		must(t, syscall.Exec(os.Args[0], os.Args, os.Environ()))
	}
	table.Close()
	catalog.Close()
}

// Where no more threads can be started, opening a catalog says so and does not hang, and works once they can.
func TestNoMoreThreads(t *testing.T) {
	const variable = "PAIMON_TEST_NO_MORE_THREADS"
	if os.Getenv(variable) == "" {
		child := exec.Command(os.Args[0], "-test.run=^TestNoMoreThreads$", "-test.timeout=1m")
		child.Env = append(os.Environ(), variable+"=yes")
		if out, err := child.CombinedOutput(); err != nil {
			t.Errorf("%v:\n%s", err, out)
		}
		return
	}
	options := map[string]string{"warehouse": "memory:/x"}
	open := func() error {
		catalog, err := paimon.NewCatalog(options)
		catalog.Close()
		return err
	}
	must(t, open()) // loads the library
	// Go's own threads wait in store.
	var started sync.WaitGroup
	gate := make(chan struct{})
	for range 30 {
		started.Add(1)
		go func() {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			started.Done()
			<-gate
		}()
	}
	started.Wait()
	close(gate)
	if os.Getuid() == 0 { // whom no limit holds
		must(t, syscall.Setuid(1<<30+os.Getpid()))
	}
	var limit unix.Rlimit
	must(t, unix.Getrlimit(unix.RLIMIT_NPROC, &limit))
	for range 10 {
		must(t, unix.Setrlimit(unix.RLIMIT_NPROC, &unix.Rlimit{Cur: 1, Max: limit.Max}))
		wantError(t, open(), paimon.CodeResourceExhausted, "ulimit -u", "pids.max")
		must(t, unix.Setrlimit(unix.RLIMIT_NPROC, &limit))
		must(t, open())
	}
}

// The native threads are as many as the processors that this process may use, for one catalog and for a hundred, and a bounded
// number of others while storage blocks. No other crate has threads of its own. After the last Close there are none.
func TestNativeThreads(t *testing.T) {
	checkLeaks(t)
	count := func() int {
		n := 0
		for _, h := range threads(t) {
			if h.name == "paimon" {
				n++
			}
		}
		return n
	}
	atLeast, atMost := *processors, *processors
	if *processors == 0 {
		atLeast, atMost = 1, runtime.NumCPU()
	}
	atLeast, atMost = max(atLeast, 2), max(atMost, 2) // there are two at least
	wantThreads(t, 0, 0)
	warehouse := t.TempDir()
	first := openCatalog(t, warehouse)
	must(t, first.CreateDatabase("db", nil, false))
	wantThreads(t, atLeast, atMost) // the others end after two idle seconds
	peak, workers := 0, count()
	for range 100 {
		catalog, err := paimon.NewCatalog(map[string]string{"warehouse": warehouse})
		must(t, err)
		_, err = catalog.ListDatabases()
		must(t, err)
		peak = max(peak, count())
		catalog.Close()
	}
	var many []*paimon.Catalog
	for range 100 {
		many = append(many, openCatalog(t, warehouse))
	}
	peak = max(peak, count())
	done := busy(t)
	for range 50 {
		peak = max(peak, count())
		time.Sleep(2 * time.Millisecond)
	}
	done()
	if most := atMost + 4*max(atMost, 4); peak > most {
		t.Errorf("%d threads at most, want up to %d", peak, most)
	}
	wantThreads(t, atLeast, workers)
	names := make(map[string]int)
	for _, h := range threads(t) {
		names[h.name]++
	}
	own, err := os.ReadFile("/proc/self/comm")
	must(t, err)
	t.Logf("before 0, at work up to %d, with 101 catalogs at rest %d; all threads by name: %v, made by Go %d", peak, names["paimon"], names,
		pprof.Lookup("threadcreate").Count())
	for name := range maps.Keys(names) {
		if name != strings.TrimSpace(string(own)) && name != "paimon" && name != "paimon-orc-writ" {
			t.Errorf("a thread %q that nobody knows", name)
		}
	}
	if made := pprof.Lookup("threadcreate").Count(); names[strings.TrimSpace(string(own))] > made {
		t.Errorf("%v, but Go has made %d only: somebody else's have no name", names, made)
	}
	for _, catalog := range many {
		catalog.Close()
	}
	first.Close()
}

// A process that may use one processor has two workers: one that sees that time has run out while the other decodes.
func TestNativeThreadsOnOneProcessor(t *testing.T) {
	checkLeaks(t)
	wantThreads(t, 0, 0)
	// The thread that opens the first catalog counts the processors, and its workers get its own. It ends with the goroutine.
	done, warehouse := make(chan *paimon.Catalog, 1), t.TempDir()
	go func() {
		var catalog *paimon.Catalog
		defer func() { done <- catalog }()
		runtime.LockOSThread()
		var all, one unix.CPUSet
		if err := unix.SchedGetaffinity(0, &all); err != nil {
			t.Error(err)
			return
		}
		for cpu := range 8 * len(all) * 8 {
			if all.IsSet(cpu) {
				one.Set(cpu)
				break
			}
		}
		if err := unix.SchedSetaffinity(0, &one); err != nil {
			t.Error(err)
			return
		}
		var err error
		if catalog, err = paimon.NewCatalog(map[string]string{"warehouse": warehouse}); err != nil {
			t.Error(err)
		}
	}()
	catalog := <-done
	t.Cleanup(catalog.Close)
	if !t.Failed() {
		wantThreads(t, 2, 2)
	}
}
