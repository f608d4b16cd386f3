package charset

import (
	"errors"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/text/encoding/htmlindex"
)

// texts are small tables as people export them, by the encoding that they come in.
var texts = map[string][]string{
	"gb18030": {
		"城市,数量,备注\n北京,3,首都\n上海,5,\n广州,7,南方\n", "订单号,客户,金额\nA1,张三,12.5\nA2,李四,8\nA3,王五,9\n",
		"id,city\n1,北京\n2,深圳\n", "日期,门店,销售额（元）\n2026-01-01,南山店,120\n", "产品编号;名称;颜色\nP-1;连衣裙;红\n",
	},
	"big5": {
		"訂單號,客戶,金額,城市\nA1,張三,12.5,臺北\nA2,李四,8,高雄\nA3,王五,9,臺中\n", "id,city\n1,臺北\n2,臺南\n", "日期,門市,營業額\n2026-01-01,信義店,120\n",
	},
	"shift_jis": {"注文番号,顧客,金額,都市\nA1,佐藤,12.5,東京\nA2,鈴木,8,大阪\n", "商品,数量\nカメラ,3\nりんご,5\n"},
	"euc-jp":    {"注文番号,顧客,金額,都市\nA1,さとう,12.5,東京\nA2,すずき,8,カメラ\n"},
	"euc-kr":    {"주문번호,고객,금액,도시\nA1,김철수,12.5,서울\nA2,이영희,8,부산\n", "상품,수량\n사과,3\n바나나,5\n"},
	"windows-1252": {
		"id,Straße,Größe\n1,Müllerweg,12\n2,Königsallee,8\n", "id,name,prix\n1,Café,12 €\n2,Crème brûlée,8 €\n3,Pâté,9 €\n",
		"id,ciudad\n1,Málaga\n2,Cádiz\n3,A Coruña\n", "id,name\n1,José\n2,Ann\n", "id,by\n1,Ærø\n2,Århus\n3,Tønder\n",
		"id,cidade\n1,São Paulo\n2,Goiânia\n3,Maceió\n", "id,note\n1,it’s fine\n2,“quoted” – yes\n", "id,ort\n1,MÜNCHEN\n2,KÖLN\n",
	},
	"windows-1250": {"id,miasto\n1,Łódź\n2,Gdańsk\n3,Wrocław\n4,Kraków\n", "id,město\n1,Plzeň\n2,Příbram\n3,Ústí nad Labem\n4,Děčín\n", "id,város\n1,Győr\n2,Székesfehérvár\n3,Gyűjtemény\n"},
	"windows-1251": {"код,город,сумма\n1,Москва,12\n2,Санкт-Петербург,3\n3,Казань,7\n", "id,city\n1,Київ\n2,Львів\n"},
	"koi8-r":       {"код,город,сумма\n1,Москва,12\n2,Санкт-Петербург,3\n3,Казань,7\n"},
	"ibm866":       {"код,город,сумма\n1,Москва,12\n2,Санкт-Петербург,3\n3,Казань,7\n"},
	"windows-1253": {"κωδικός,πόλη\n1,Αθήνα\n2,Θεσσαλονίκη\n"},
	"windows-1254": {"id,şehir\n1,İstanbul\n2,Muğla\n3,Diyarbakır\n"},
	"windows-1255": {"מספר,עיר\n1,ירושלים\n2,חיפה\n"},
	"windows-1256": {"رقم,مدينة\n1,القاهرة\n2,دبي\n"},
	"windows-874":  {"รหัส,เมือง\n1,กรุงเทพ\n2,เชียงใหม่\n"},
}

func encoded(t testing.TB, name, text string) string {
	t.Helper()
	e, err := htmlindex.Get(name)
	require.NoError(t, err)
	raw, err := e.NewEncoder().String(text)
	require.NoError(t, err, "%s %s", name, text)
	return raw
}

func TestFind(t *testing.T) {
	t.Parallel()
	for name, all := range texts {
		for _, text := range all {
			found, err := Find(strings.NewReader(encoded(t, name, text)))
			require.NoError(t, err)
			assert.Equal(t, name, found.Encoding, text)
			assert.NotEmpty(t, found.Examples)
			for _, word := range found.Examples {
				require.Contains(t, text, word)
			}
			found, err = Find(iotest.OneByteReader(strings.NewReader(text)))
			require.NoError(t, err)
			require.Equal(t, Finding{Encoding: UTF8}, found, "UTF-8 proves itself")
		}
	}
}

func TestWhatIsNoText(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"empty": "", "ASCII": "a,b\n1,2\n", "a long line": strings.Repeat("ü", 200_000),
		"UTF-8 with a damaged value": strings.Repeat("1,Müller\n", 50) + "2,M\xffller\n",
	} {
		found, err := Find(strings.NewReader(text))
		require.NoError(t, err)
		require.Equal(t, UTF8, found.Encoding, name)
	}
	for cut := range 4 { // of a long line none of the parts breaks a character
		found, err := Find(strings.NewReader("x" + strings.Repeat("y", 65535-cut) + "ü€😀" + strings.Repeat("z", 100)))
		require.NoError(t, err)
		require.Equal(t, UTF8, found.Encoding)
	}
	found, err := Find(strings.NewReader("a,b\n1,x\n2,\xff\n"))
	require.NoError(t, err)
	require.Empty(t, found.Encoding, "a byte alone is no word")
	noise := make([]byte, 4096)
	for i := range noise {
		noise[i] = byte(i*7919 ^ i>>3)
	}
	found, err = Find(strings.NewReader(string(noise)))
	require.NoError(t, err)
	require.Empty(t, found.Encoding, "noise is no text of any encoding")

	_, err = Find(iotest.ErrReader(errors.New("the disk is gone")))
	require.Error(t, err)
}

// TestFarBeyondTheHead finds what shows only after much ASCII.
func TestFarBeyondTheHead(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("1,plain\n", 100_000) + encoded(t, "gb18030", "2,北京\n3,上海\n4,订单\n")
	found, err := Find(strings.NewReader(text))
	require.NoError(t, err)
	require.Equal(t, "gb18030", found.Encoding)
}

func FuzzFind(f *testing.F) {
	for name, all := range texts {
		f.Add([]byte(encoded(f, name, all[0])))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		found, err := Find(strings.NewReader(string(text)))
		require.NoError(t, err)
		require.LessOrEqual(t, len(found.Examples), maxExamples)
	})
}

// TestExamplesAreShort: at most three different words, each of at most 20 characters.
func TestExamplesAreShort(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("ü", 21)
	require.Equal(t, []string{long[:40], "Öl"}, examples("plain,"+long+";Öl|Öl \""+"x\""))
	require.Equal(t, []string{"ä", "ö", "ü"}, examples("ä ö ü Ä"))
	require.Equal(t, []string{strings.Repeat("ö", 20)}, examples(strings.Repeat("ö", 20)))
}

// TestWhatIsJudgedIsBounded: of a long text that is no UTF-8 some lines are kept, and all are
// counted.
func TestWhatIsJudgedIsBounded(t *testing.T) {
	t.Parallel()
	s := newSample()
	line := []byte(strings.Repeat("x", 999) + "\xff\n")
	for range 400 {
		s.add(line)
	}
	s.end()
	require.EqualValues(t, 400, s.faults)
	require.Less(t, len(s.lines), 2*maxSample+len(line))
	require.Greater(t, len(s.lines), maxSample)
}
