package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
)

const (
	source   = "numbers"
	target   = "copies"
	patience = 600 * time.Second
	session  = 60 * time.Second
)

// Numbers is a set of numbers, with how often each came.
type Numbers struct {
	mu    sync.Mutex
	times map[int]int
}

func (n *Numbers) add(records []*kgo.Record) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, record := range records {
		number, err := strconv.Atoi(string(record.Value))
		check(err)
		n.times[number]++
	}
}

// hasBelow returns whether every number below end came.
func (n *Numbers) hasBelow(end int) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	for number := 0; number < end; number++ {
		if n.times[number] == 0 {
			return false
		}
	}
	return true
}

// counts returns how many numbers came, and how many of them more than once.
func (n *Numbers) counts() (all, repeated int) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, times := range n.times {
		all++
		if times > 1 {
			repeated++
		}
	}
	return
}

func newNumbers() *Numbers { return &Numbers{times: map[int]int{}} }

func common(bootstrap string, name string) []kgo.Opt {
	return []kgo.Opt{
		kgo.SeedBrokers(strings.Split(bootstrap, ",")...),
		kgo.ClientID(name),
		kgo.RetryTimeout(patience),
		kgo.RequestRetries(1000),
		kgo.MetadataMinAge(250 * time.Millisecond),
		kgo.StopProducerOnDataLossDetected(),
	}
}

// checkFetches fails for the errors of a poll, except where the client says that it joins its group again: it does so when
// the coordinator's broker has ended, and goes on by itself.
func checkFetches(name string, fetches kgo.Fetches) {
	for _, failed := range fetches.Errors() {
		var session *kgo.ErrGroupSession
		if errors.As(failed.Err, &session) && isOfAnEndedBroker(session.Err) {
			continue
		}
		fail(fmt.Errorf("%s: %s-%d: %w", name, failed.Topic, failed.Partition, failed.Err))
	}
}

// isOfAnEndedBroker returns whether a broker has refused or closed a connection, or is not the coordinator any more.
func isOfAnEndedBroker(err error) bool {
	var network *net.OpError
	var closed *kgo.ErrFirstReadEOF
	return errors.As(err, &network) || errors.As(err, &closed) || kgo.IsRetryableBrokerErr(err) || kerr.IsRetriable(err)
}

// needsNewSession returns whether a session of transactions cannot go on after an error of Begin or End, because a broker
// has ended.  End returns the network's error when it does not know what became of the transaction.  A coordinator that has
// added partitions to a transaction and ended before its answer makes the client believe that there is none to end: its
// next InitProducerId finds one that is open, which fences the client.
func needsNewSession(err error) bool {
	return isOfAnEndedBroker(err) || errors.Is(err, kerr.ProducerFenced) || errors.Is(err, kerr.InvalidProducerEpoch)
}

// Workload has all the clients of the command work.
type Workload struct {
	bootstrap string
	mu        sync.Mutex
	acked     int
	sessions  int
	read      *Numbers
	copied    *Numbers
	members   []*Member
}

func work(bootstrap string) {
	w := &Workload{bootstrap: bootstrap, read: newNumbers(), copied: newNumbers()}
	ctx, stopProducing := context.WithCancel(context.Background())
	defer stopProducing()
	produced := make(chan struct{})
	go func() { defer close(produced); w.produce(ctx) }()
	for i := 0; i < 2; i++ {
		w.members = append(w.members, w.join(fmt.Sprintf("reader-%d", i)))
	}
	copies := w.readCopies()
	copyUntil, stopCopying := context.WithCancel(context.Background())
	defer stopCopying()
	var copiers sync.WaitGroup
	for i := 0; i < 2; i++ {
		copiers.Add(1)
		go func() { defer copiers.Done(); w.copy(copyUntil, fmt.Sprintf("copier-%d", i)) }()
	}
	fmt.Println("started")
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		switch lines.Text() {
		case "more":
			w.awaitMore()
			w.report("more")
		case "join":
			fmt.Println("join", w.rebalance())
		default:
			fail(errors.New("not a command: " + lines.Text()))
		}
	}
	stopProducing()
	<-produced
	w.await(w.sent())
	stopCopying()
	copiers.Wait()
	copies.Close()
	for _, member := range w.members {
		member.close()
	}
	w.report("done")
}

func (w *Workload) report(what string) {
	_, reread := w.read.counts()
	copied, _ := w.copied.counts()
	w.mu.Lock()
	defer w.mu.Unlock()
	fmt.Printf("%s acked=%d copied=%d reread=%d sessions=%d\n", what, w.acked, copied, reread, w.sessions)
}

func (w *Workload) sent() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.acked
}

// awaitMore waits until numbers that are produced from now on were acknowledged, read and copied.
func (w *Workload) awaitMore() {
	end := w.sent() + 100
	deadline := time.Now().Add(patience)
	for w.sent() < end {
		if time.Now().After(deadline) {
			fail(fmt.Errorf("%d numbers are acknowledged, not %d", w.sent(), end))
		}
		time.Sleep(50 * time.Millisecond)
	}
	w.await(end)
}

func (w *Workload) await(end int) {
	deadline := time.Now().Add(patience)
	for !w.read.hasBelow(end) || !w.copied.hasBelow(end) {
		if time.Now().After(deadline) {
			read, _ := w.read.counts()
			copied, _ := w.copied.counts()
			fail(fmt.Errorf("of the first %d numbers not all were read (%d) and copied (%d)", end, read, copied))
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// produce sends ten numbers at a time; an idempotent producer must have each of them acknowledged.
func (w *Workload) produce(ctx context.Context) {
	client, err := kgo.NewClient(append(common(w.bootstrap, "producer"), kgo.DefaultProduceTopic(source))...)
	check(err)
	defer client.Close()
	for ctx.Err() == nil {
		var records []*kgo.Record
		from := w.sent()
		for number := from; number < from+10; number++ {
			records = append(records, kgo.StringRecord(strconv.Itoa(number)))
		}
		limited, cancel := context.WithTimeout(context.Background(), patience)
		check(client.ProduceSync(limited, records...).FirstErr())
		cancel()
		w.mu.Lock()
		w.acked += len(records)
		w.mu.Unlock()
		time.Sleep(50 * time.Millisecond)
	}
}

// Member is a member of a group that rebalances cooperatively.
type Member struct {
	client *kgo.Client
	mu     sync.Mutex
	owned  map[int32]bool
	taken  int
	ended  chan struct{}
}

func (w *Workload) join(name string) *Member {
	m := &Member{owned: map[int32]bool{}, ended: make(chan struct{})}
	gone := func(_ context.Context, _ *kgo.Client, partitions map[string][]int32) {
		m.mu.Lock()
		defer m.mu.Unlock()
		for _, partition := range partitions[source] {
			delete(m.owned, partition)
			m.taken++
		}
	}
	client, err := kgo.NewClient(append(common(w.bootstrap, name),
		kgo.ConsumerGroup("readers"),
		kgo.ConsumeTopics(source),
		kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()),
		kgo.Balancers(kgo.CooperativeStickyBalancer()),
		kgo.SessionTimeout(session),
		kgo.RebalanceTimeout(session),
		kgo.AutoCommitInterval(500*time.Millisecond),
		kgo.OnPartitionsAssigned(func(_ context.Context, _ *kgo.Client, partitions map[string][]int32) {
			m.mu.Lock()
			defer m.mu.Unlock()
			for _, partition := range partitions[source] {
				m.owned[partition] = true
			}
		}),
		kgo.OnPartitionsRevoked(gone),
		kgo.OnPartitionsLost(gone),
	)...)
	check(err)
	m.client = client
	go func() {
		defer close(m.ended)
		for {
			fetches := client.PollFetches(context.Background())
			if fetches.IsClientClosed() {
				return
			}
			checkFetches(name, fetches)
			w.read.add(fetches.Records())
		}
	}()
	return m
}

func (m *Member) state() (owned, taken int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.owned), m.taken
}

func (m *Member) close() {
	m.client.Close()
	<-m.ended
}

// rebalance has one more member join, and leave when it has a share; it returns what the others kept meanwhile.
func (w *Workload) rebalance() string {
	deadline := time.Now().Add(patience)
	wait := func(what string, holds func() bool) {
		for !holds() {
			if time.Now().After(deadline) {
				fail(errors.New("still not so: " + what))
			}
			time.Sleep(50 * time.Millisecond)
		}
	}
	share := func(members []*Member, size int) func() bool {
		return func() bool {
			for _, member := range members {
				if owned, _ := member.state(); owned != size {
					return false
				}
			}
			return true
		}
	}
	wait("two members have three partitions each", share(w.members, 3))
	before := 0
	for _, member := range w.members {
		_, taken := member.state()
		before += taken
	}
	third := w.join("reader-late")
	wait("three members have two partitions each", share(append([]*Member{third}, w.members...), 2))
	after := 0
	for _, member := range w.members {
		_, taken := member.state()
		after += taken
	}
	third.close()
	wait("two members have three partitions each again", share(w.members, 3))
	return fmt.Sprintf("taken=%d", after-before)
}

// readCopies reads the copies of committed transactions until the client is closed.
func (w *Workload) readCopies() *kgo.Client {
	client, err := kgo.NewClient(append(common(w.bootstrap, "reader-of-copies"),
		kgo.ConsumeTopics(target),
		kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()),
		kgo.FetchIsolationLevel(kgo.ReadCommitted()),
	)...)
	check(err)
	go func() {
		for {
			fetches := client.PollFetches(context.Background())
			if fetches.IsClientClosed() {
				return
			}
			checkFetches("reader-of-copies", fetches)
			w.copied.add(fetches.Records())
		}
	}()
	return client
}

// copy copies numbers in transactions, in one session after the other.
func (w *Workload) copy(ctx context.Context, name string) {
	for ctx.Err() == nil {
		err := w.copyInSession(ctx, name)
		if err != nil && !needsNewSession(err) {
			fail(fmt.Errorf("%s: %w", name, err))
		}
	}
}

// copyInSession copies numbers in transactions, each with the offsets of what it has copied, until one fails.
func (w *Workload) copyInSession(ctx context.Context, name string) error {
	session, err := kgo.NewGroupTransactSession(append(common(w.bootstrap, name),
		kgo.TransactionalID(name),
		kgo.TransactionTimeout(session),
		kgo.DefaultProduceTopic(target),
		kgo.ConsumerGroup("copiers"),
		kgo.ConsumeTopics(source),
		kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()),
		kgo.FetchIsolationLevel(kgo.ReadCommitted()),
		kgo.Balancers(kgo.CooperativeStickyBalancer()),
		kgo.RequireStableFetchOffsets(),
		kgo.SessionTimeout(60*time.Second),
	)...)
	check(err)
	defer session.Close()
	w.mu.Lock()
	w.sessions++
	w.mu.Unlock()
	for {
		fetches := session.PollFetches(ctx)
		if ctx.Err() != nil {
			return nil
		}
		checkFetches(name, fetches)
		records := fetches.Records()
		if len(records) == 0 {
			continue
		}
		if err := session.Begin(); err != nil {
			return err
		}
		promise := kgo.AbortingFirstErrPromise(session.Client())
		for _, record := range records {
			session.Produce(context.Background(), kgo.StringRecord(string(record.Value)), promise.Promise())
		}
		limited, cancel := context.WithTimeout(context.Background(), patience)
		_, err := session.End(limited, promise.Err() == nil)
		cancel()
		if err != nil {
			return err
		}
	}
}
